/* accounts - users: the owner's commands to add, show, change and remove them. */
#pragma once

#include "workers/auth/oauth/oauth.h"

int user_add_run(struct call *c, const struct mp_value *args, struct err *err);
int user_list_run(struct call *c, const struct mp_value *args, struct err *err);
int user_set_run(struct call *c, const struct mp_value *args, struct err *err);
int user_remove_run(struct call *c, const struct mp_value *args, struct err *err);
