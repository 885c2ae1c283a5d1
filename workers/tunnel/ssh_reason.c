#include "workers/tunnel/ssh_reason.h"

#include <string.h>

#include "base/text/safe_text.h"

#define QUOTED_MAX	200u

enum blame { BLAME_NONE, BLAME_KNOWN_HOSTS, BLAME_IDENTITY, BLAME_ACCOUNT, BLAME_ADDRESS, BLAME_SERVER };

/*
 * Legend: what OpenSSH writes, the beginning of our sentence, what it is about (named behind it), and the advice.  The
 * first row that is found counts.
 */
static const struct {
	const char	*words, *sentence;
	enum blame	 about;
	const char	*advice;
} reasons[] = {
	{ "REMOTE HOST IDENTIFICATION HAS CHANGED", "the host key of the SSH server differs from the one in",
	    BLAME_KNOWN_HOSTS, "the key was changed, or another machine answers: ask the server's administrator "
	    "before you replace the line there" },
	{ "host key is known for", "the SSH server's host key is not in",
	    BLAME_KNOWN_HOSTS,
	    "`ssh-keyscan` prints it; compare it with what its administrator says before you add it" },
	{ "Host key verification failed", "the SSH server's host key does not match",
	    BLAME_KNOWN_HOSTS, "`ssh-keyscan` prints the key; compare it with what its administrator says" },
	{ "bad permissions", "ssh refuses a private key that others can read:",
	    BLAME_IDENTITY, "run chmod 600 on the file" },
	{ "incorrect passphrase", "the private key needs a passphrase, which cannot be entered here:",
	    BLAME_IDENTITY, "create a key without a passphrase for this account" },
	{ "Load key", "the private key cannot be read:",
	    BLAME_IDENTITY, "it must be an OpenSSH private key without a passphrase" },
	{ "no such identity", "the private key cannot be read:",
	    BLAME_IDENTITY, "correct ssh.identity" },
	{ "Permission denied", "the SSH server refused the account",
	    BLAME_ACCOUNT, "add the public key of ssh.identity to its authorized_keys there" },
	{ "Too many authentication failures", "the SSH server refused the account",
	    BLAME_ACCOUNT, "add the public key of ssh.identity to its authorized_keys there" },
	{ "Could not resolve hostname", "the SSH server's name cannot be resolved:",
	    BLAME_ADDRESS, "correct ssh.host" },
	{ "administratively prohibited", "the SSH server does not permit forwarding to",
	    BLAME_SERVER, "AllowTcpForwarding and permitopen on that server must allow it" },
	{ "open failed: connect failed: Connection refused", "as seen from the SSH server, nothing listens at",
	    BLAME_SERVER, "start the database, or correct its host and port as the SSH server reaches them" },
	{ "open failed: connect failed", "the SSH server cannot connect to",
	    BLAME_SERVER, "correct the database's host and port as the SSH server reaches them" },
	{ "open failed", "the SSH server could not forward to",
	    BLAME_SERVER, "its log says why" },
	{ "No user exists", "ssh does not know the account of the daemon, to sign in at",
	    BLAME_ADDRESS, "it has to stand in /etc/passwd: no name service is asked" },
	{ "not responding", "the SSH server stopped answering:",
	    BLAME_ADDRESS, "Carrel tries again" },
	{ "Connection refused", "nothing listens for SSH at",
	    BLAME_ADDRESS, "start sshd there, or correct ssh.host and ssh.port" },
	{ "timed out", "the SSH server does not answer:",
	    BLAME_ADDRESS, "a firewall may be in between; under systemd IPAddressAllow= must name its address" },
	{ "No route to host", "the SSH server cannot be reached:",
	    BLAME_ADDRESS, "correct ssh.host, or the route to it" },
	{ "Network is unreachable", "the SSH server cannot be reached:",
	    BLAME_ADDRESS, "correct ssh.host, or the route to it" },
	{ "Operation not permitted", "connecting to the SSH server is not permitted:",
	    BLAME_ADDRESS, "under systemd IPAddressAllow= must name its address" },
	{ "Address already in use", "the local socket of the tunnel cannot be created, to",
	    BLAME_SERVER, "Carrel tries again" },
	{ "cannot listen to", "the local socket of the tunnel cannot be created, to",
	    BLAME_SERVER, "`carrel mcp logs` says more" },
	{ "Connection reset", "the SSH server closed the connection:",
	    BLAME_ADDRESS, "its log says why" },
	{ "Connection closed", "the SSH server closed the connection:",
	    BLAME_ADDRESS, "its log says why" },
	{ "closed by remote host", "the SSH server closed the connection:",
	    BLAME_ADDRESS, "its log says why" },
};

static bool
says_words(struct span text, const char *words)
{
	return text.len > 0 && memmem(text.p, text.len, words, strlen(words)) != NULL;
}

bool
ssh_reason_is_channel(struct span line)
{
	return span_begins(line, "channel ") && says_words(line, "open failed");
}

static void
put_about(enum blame about, const struct ipc_configure_tunnel *m, struct buf *out)
{
	switch (about) {
	case BLAME_KNOWN_HOSTS:
		buf_printf(out, " %.*s (%.*s, port %u)", SPAN_FMT(m->known_hosts), SPAN_FMT(m->ssh_host),
		    (unsigned)m->ssh_port);
		break;
	case BLAME_IDENTITY:
		buf_printf(out, " %.*s", SPAN_FMT(m->identity));
		break;
	case BLAME_ACCOUNT:
		buf_printf(out, " %.*s with that key (%.*s, port %u)", SPAN_FMT(m->ssh_user), SPAN_FMT(m->ssh_host),
		    (unsigned)m->ssh_port);
		break;
	case BLAME_ADDRESS:
		buf_printf(out, " %.*s, port %u", SPAN_FMT(m->ssh_host), (unsigned)m->ssh_port);
		break;
	case BLAME_SERVER:
		buf_printf(out, " %.*s, port %u", SPAN_FMT(m->server_host), (unsigned)m->server_port);
		break;
	case BLAME_NONE:
		break;
	}
}

/* The last line that is not empty, so that it cannot be taken for anything but a quotation. */
static void
put_last_line(struct span said, struct buf *out)
{
	struct span rest = said, line, last = SPAN_NONE;

	while (span_line(&rest, &line))
		if (span_trim(line).len > 0)
			last = span_trim(line);
	if (last.len > QUOTED_MAX)
		last.len = QUOTED_MAX;
	buf_str(out, last.len > 0 ? ": \"" : " without a message");
	safe_text_escape(out, last, false);
	buf_str(out, last.len > 0 ? "\"" : "");
}

void
ssh_reason(struct span said, const struct ipc_configure_tunnel *m, struct buf *out)
{
	buf_str(out, "SSH: ");
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (says_words(said, reasons[i].words)) {
			buf_str(out, reasons[i].sentence);
			put_about(reasons[i].about, m, out);
			buf_printf(out, "; %s", reasons[i].advice);
			return;
		}
	buf_str(out, "ssh ended");
	put_last_line(said, out);
}
