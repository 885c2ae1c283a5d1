#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "project/account.h"

bool
account_uid(const char *name, uint32_t *uid)
{
	const struct passwd *pw;
	unsigned long long n;

	if (name[0] != '\0' && name[strspn(name, "0123456789")] == '\0') {
		errno = 0;
		n = strtoull(name, NULL, 10);
		*uid = (uint32_t)n;
		return errno == 0 && n < UINT32_MAX; /* (uid_t)-1 is no user */
	}
	if ((pw = getpwnam(name)) == NULL)
		return false;
	*uid = pw->pw_uid;
	return true;
}

bool
account_is_visible(uint32_t uid)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long long inside, outside, n;
	bool is = map == NULL;

	while (map != NULL && !is && fscanf(map, "%llu %llu %llu", &inside, &outside, &n) == 3)
		is = uid >= inside && uid - inside < n;
	if (map != NULL)
		fclose(map);
	return is;
}
