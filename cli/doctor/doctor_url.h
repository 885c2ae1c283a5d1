/* doctor_url - what carrel doctor finds of server.public_url and the proxies before it. */
#pragma once

#include "cli/doctor/doctor.h"

/* server.public_url and server.trusted_proxies: names, certificates, and who is believed. */
void doctor_url(struct cli *cli, const struct config *cfg, const struct daemon *d, struct findings *f);
