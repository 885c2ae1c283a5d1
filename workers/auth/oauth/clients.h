/* clients - clients, grants and signing keys: the owner's commands to show and change them. */
#pragma once

#include "workers/auth/oauth/oauth.h"

int client_add_run(struct call *c, const struct mp_value *args, struct err *err);
int client_list_run(struct call *c, const struct mp_value *args, struct err *err);
int client_remove_run(struct call *c, const struct mp_value *args, struct err *err);
int client_grants_run(struct call *c, const struct mp_value *args, struct err *err);
int client_revoke_run(struct call *c, const struct mp_value *args, struct err *err);
int key_list_run(struct call *c, const struct mp_value *args, struct err *err);
int key_rotate_run(struct call *c, const struct mp_value *args, struct err *err);
int setup_link_run(struct call *c, const struct mp_value *args, struct err *err);
