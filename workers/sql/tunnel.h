/*
 * tunnel - connections of a database's client library through a Unix socket, as if they went to the server's address.
 *
 * libpq makes no TLS over a Unix socket, and libmariadb verifies no host name there; neither takes a descriptor that is
 * connected already.  So this process defines connect() and getaddrinfo() itself, in front of libc's: the libraries
 * call these.  Once a tunnel is set, each TCP connection that they make is one to the tunnel's socket, one to a Unix
 * socket (of this machine, where "localhost" is the SSH server's) is refused, and every name
 * has an address, which is never used: the SSH server looks the real one up.  The library notices nothing: it encrypts,
 * and verifies the name that the configuration gives, and the password is protected as without a tunnel.
 */
#pragma once

/* From now on, until the process ends.  path is copied; empty: connections are made as ever. */
void tunnel_use(const char *path);
