// libs: carrel_tunnel carrel_ipc carrel_base
/* test_tunnel.c - the arguments of ssh, and what its complaints become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "workers/tunnel/ssh_argv.h"
#include "workers/tunnel/ssh_reason.h"

static struct ipc_configure_tunnel
configured(const char *server)
{
	return (struct ipc_configure_tunnel){ .program = SPAN("/usr/bin/ssh"), .ssh_host = SPAN("bastion"),
		.ssh_port = 2222, .ssh_user = SPAN("tunnel"), .identity = SPAN("/k/id"),
		.known_hosts = SPAN("/k/hosts"),
		.directory = SPAN("/tmp/d"), .socket = SPAN("/tmp/d/db"), .server_host = span_str(server),
		.server_port = 5432 };
}

static bool
has_argument(const char *const *argv, const char *text)
{
	for (; *argv != NULL; argv++)
		if (strcmp(*argv, text) == 0)
			return true;
	return false;
}

static void
arguments(void **state)
{
	static const char *const wanted[] = { "-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oIdentityAgent=none",
		"-oProxyCommand=-", "-oExitOnForwardFailure=yes", "-oStreamLocalBindMask=0177",
		"-oStreamLocalBindUnlink=yes", "-oIdentityFile=/k/id", "-oUserKnownHostsFile=/k/hosts",
		"-oGlobalKnownHostsFile=/dev/null", "-oPort=2222", "-oUser=tunnel", "-L/tmp/d/db:db.internal:5432" };
	const struct ipc_configure_tunnel m = configured("db.internal"), six = configured("fd00::1");
	struct arena *a = arena_new(64u << 10);
	const char *argv[SSH_ARGV_MAX];
	size_t n = 0;

	(void)state;
	assert_true(ssh_argv(&m, a, argv));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!has_argument(argv, wanted[i]))
			fail_msg("%s is missing", wanted[i]);
	while (argv[n] != NULL)
		n++;
	/* No configuration file; the host is behind what ends the options. */
	assert_string_equal(argv[1], "-F");
	assert_string_equal(argv[2], "none");
	assert_string_equal(argv[n - 2], "--");
	assert_string_equal(argv[n - 1], "bastion");
	assert_true(ssh_argv(&six, a, argv));
	assert_true(has_argument(argv, "-L/tmp/d/db:[fd00::1]:5432"));
	arena_free(a);
}

static void
complaints(void **state)
{
	static const struct {
		const char *said, *told;
	} rows[] = {
		{ "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.\n",
		    "differs from the one in /k/hosts (bastion, port 2222)" },
		{ "No ED25519 host key is known for [bastion]:2222 and you have requested strict checking.\n"
		  "Host key verification failed.\r\n",
		    "is not in /k/hosts" },
		{ "tunnel@bastion: Permission denied (publickey).\r\n", "refused the account tunnel" },
		{ "ssh: connect to host bastion port 2222: Connection refused\r\n",
		    "nothing listens for SSH at bastion, port 2222" },
		{ "ssh: connect to host bastion port 2222: Connection timed out\r\n", "does not answer: bastion" },
		{ "ssh: Could not resolve hostname bastion: Name or service not known\r\n",
		    "cannot be resolved: bastion" },
		{ "channel 2: open failed: connect failed: Connection refused\r\n",
		    "nothing listens at db.internal, port 5432" },
		{ "channel 2: open failed: administratively prohibited: open failed\r\n",
		    "does not permit forwarding to db.internal, port 5432" },
		{ "Load key \"/k/id\": invalid format\r\ntunnel@bastion: Permission denied (publickey).\r\n", "/k/id" },
		{ "Timeout, server bastion not responding.\r\n", "stopped answering" },
		{ "", "ssh ended without a message" },
		{ "something new\x1b[2J\n\n", "ssh ended: \"something new\\x1b[2J\"" },
	};
	const struct ipc_configure_tunnel m = configured("db.internal");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = BUF_MAX(1000);

		ssh_reason(span_str(rows[i].said), &m, &out);
		if (strncmp(buf_cstr(&out), "SSH: ", 5) != 0 || strstr(buf_cstr(&out), rows[i].told) == NULL)
			fail_msg("\"%s\" is told as \"%s\"", rows[i].said, buf_cstr(&out));
		buf_fini(&out);
	}
	assert_true(ssh_reason_is_channel(SPAN("channel 3: open failed: connect failed: No route to host")));
	assert_false(ssh_reason_is_channel(SPAN("banner: channel 3: open failed")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(complaints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
