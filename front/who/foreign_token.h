/*
 * foreign_token - access tokens of other issuers (auth.issuers).  The front verifies them, with libcrypto: what
 * strangers send is parsed where no key and no data is.  What the subject may here, carrel-auth knows (VOUCH).
 *
 * A token is judged by the issuer that it names, with that one's keys alone; one that names another issuer is not
 * looked at further, and has nothing fetched.
 */
#pragma once

#include "front/who/access_token.h"
#include "front/who/credential.h"
#include "workers/jose/jose.h"

struct foreign_issuer;
struct foreign_tokens;

/* issuers, and the names of the claims that are kept where an issuer has no list: as CONFIGURE_FRONT has them. */
struct foreign_tokens *foreign_token_new(struct span issuers, struct span claims);
void foreign_token_free(struct foreign_tokens *t);

/* Handle ISSUER_KEYS.  False: the message breaks the protocol. */
bool foreign_token_take_keys(struct front *f, const struct ipc_issuer_keys *m);

/* Whether the token says that it is of a configured issuer.  *t is to be ended whatever is returned. */
bool foreign_token_meant(const struct front *f, struct span text, struct jose *t, struct foreign_issuer **of);

/*
 * Judge it for c's resources.  SOUND: *subject says what it is, and borrows from c, t, of, room and *vouch, which it
 * leads to.
 */
enum access_token foreign_token_judge(struct front *f, struct foreign_issuer *of, const struct credential *c,
    struct jose *t, struct ipc_vouch *vouch, struct buf *room, struct verify_subject *subject);
