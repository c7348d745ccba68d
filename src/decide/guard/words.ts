import { wordsIn } from '../../host/bytes.ts';
/** A name with one of these anywhere in it, in any case, is a credential. Sandbox specs stand on this list. */
export const DENIED_WORDS: readonly string[] = Object.freeze(['KEY', 'TOKEN', 'SECRET', 'PASSWORD']);

/** Beyond those: words that mean a credential wherever they stand in a name. */
export const WIDER_WORDS: readonly string[] = Object.freeze(['PASSWD', 'PASSPHRASE', 'PASSCODE', 'CREDENTIAL']);

/** Beyond those: words that mean one only as a whole part (`GH_PAT`, but not PATH; `BASIC_AUTH`, but not GIT_AUTHOR_NAME). */
export const WIDER_PARTS: readonly string[] = Object.freeze(wordsIn('AUTH BEARER COOKIE CRED CREDS JWT PAT PRIVATE'));

/** Beyond those: endings, with or without a separator and a number (`DB_PASS`, `mysqlpwd`, `SMTP_PASS_2`; not PASS_THROUGH). */
export const WIDER_ENDINGS: readonly string[] = Object.freeze(['PASS', 'PWD']);

/** Words with such an ending that mean something else. */
export const OTHER_ENDINGS: readonly string[] = Object.freeze([
  'ASKPASS',
  'BYPASS',
  'COMPASS',
  'OVERPASS',
  'UNDERPASS',
]);

/** Names the wider words would catch that hold a path, never a credential. The words of DENIED_WORDS can't be listed away here. */
export const NO_CREDENTIAL_NAMES: readonly string[] = Object.freeze(['PWD', 'OLDPWD', 'SSH_AUTH_SOCK']);

/** Names that may well hold a secret: a value that looks random is held back under them. */
export const SECRET_LIKE_PARTS: readonly string[] = Object.freeze(
  wordsIn(`
    ACCESS API APIHASH CIPHER DSN ENCRYPTION HMAC HOOK LICENCE LICENSE LOGIN MNEMONIC NONCE OAUTH OTP PEPPER PIN PW SALT
    SAS SEED SIGNATURE SIGNING SSO TOTP WEBHOOK
  `),
);

export const SECRET_LIKE_WORDS: readonly string[] = Object.freeze(['AUTH', 'CRED', 'CRYPT', 'PASS', 'PRIVATE']);

/** Parts that say what a random-looking value is: a digest, a revision, an identifier, a place. */
export const IDENTIFIER_PARTS: readonly string[] = Object.freeze(
  wordsIn(`
    BRANCH BUILD CHECKSUM COMMIT DIGEST DIR ETAG FILE FINGERPRINT HASH HOST ID IMAGE MD5 NAME PATH REF REVISION SHA SHA1
    SHA256 SHA512 SUM TAG UUID VERSION
  `),
);
