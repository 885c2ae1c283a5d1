/* doctor_url - what carrel doctor finds of server.public_url and the proxies before it. */
#ifndef CLI_DOCTOR_DOCTOR_URL_H
#define CLI_DOCTOR_DOCTOR_URL_H

#include "cli/doctor/doctor.h"

/* server.public_url and server.trusted_proxies: names, certificates, and who is believed. */
void doctor_url(struct cli *cli, const struct config *cfg, const struct daemon *d, struct findings *f);

#endif
