#include "workers/tunnel/ssh_argv.h"

#include <string.h>

#include "base/span.h"

static const char *const fixed[] = {
	"ssh", "-F", "none", "-N", "-T",
	/* the key of this connection signs in, and nothing else is asked for */
	"-oBatchMode=yes", "-oPreferredAuthentications=publickey", "-oPubkeyAuthentication=yes",
	"-oPasswordAuthentication=no", "-oKbdInteractiveAuthentication=no", "-oHostbasedAuthentication=no",
	"-oGSSAPIAuthentication=no", "-oIdentitiesOnly=yes", "-oIdentityAgent=none", "-oAddKeysToAgent=no",
	/* the host has to have a key of that file */
	"-oStrictHostKeyChecking=yes", "-oGlobalKnownHostsFile=/dev/null", "-oKnownHostsCommand=none",
	"-oVerifyHostKeyDNS=no", "-oUpdateHostKeys=no", "-oCheckHostIP=no", "-oCanonicalizeHostname=no",
	/* the connection to the server is its standard input and output; nothing but one forwarding */
	"-oProxyCommand=-", "-oProxyJump=none", "-oControlMaster=no", "-oControlPath=none", "-oForwardAgent=no",
	"-oForwardX11=no", "-oPermitLocalCommand=no", "-oRequestTTY=no", "-oEscapeChar=none", "-oTunnel=no",
	"-oExitOnForwardFailure=yes", "-oStreamLocalBindMask=0177", "-oStreamLocalBindUnlink=yes",
	"-oLogLevel=INFO", "-oConnectionAttempts=1",
};

static bool
put(const char **argv, size_t *n, const char *text)
{
	if (text == NULL || *n + 1 >= SSH_ARGV_MAX)
		return false;
	argv[(*n)++] = text;
	argv[*n] = NULL;
	return true;
}

bool
ssh_argv(const struct ipc_configure_tunnel *m, struct arena *a, const char *argv[SSH_ARGV_MAX])
{
	const bool six = m->server_host.len > 0 && memchr(m->server_host.p, ':', m->server_host.len) != NULL;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!put(argv, &n, fixed[i]))
			return false;
	return put(argv, &n, arena_printf(a, "-oConnectTimeout=%u", SSH_CONNECT_S)) &&
	    put(argv, &n, arena_printf(a, "-oServerAliveInterval=%u", SSH_ALIVE_S)) &&
	    put(argv, &n, arena_printf(a, "-oServerAliveCountMax=%u", SSH_ALIVE_MISSED)) &&
	    put(argv, &n, arena_printf(a, "-oIdentityFile=%.*s", SPAN_FMT(m->identity))) &&
	    put(argv, &n, arena_printf(a, "-oUserKnownHostsFile=%.*s", SPAN_FMT(m->known_hosts))) &&
	    put(argv, &n, arena_printf(a, "-oPort=%u", (unsigned)m->ssh_port)) &&
	    put(argv, &n, arena_printf(a, "-oUser=%.*s", SPAN_FMT(m->ssh_user))) &&
	    put(argv, &n,
		arena_printf(a, six ? "-L%.*s:[%.*s]:%u" : "-L%.*s:%.*s:%u", SPAN_FMT(m->socket),
		    SPAN_FMT(m->server_host), (unsigned)m->server_port)) &&
	    put(argv, &n, "--") && put(argv, &n, arena_printf(a, "%.*s", SPAN_FMT(m->ssh_host)));
}
