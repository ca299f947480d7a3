/** Path below which authorities ask for tokens. Source: RFC 8555, section 8.3 */
export const challengePath = "/.well-known/acme-challenge/";

/** The one protocol of TLS-ALPN-01. Source: RFC 8737 */
export const challengeProtocol = "acme-tls/1";

/** Longest token: authorities' have some forty characters. */
const maxTokenLength = 512;

/**
 * Whether a text has the form of a token: what authorities send, or clients that pretend to be one. Source: RFC
 * 8555, section 8.1
 */
export function isChallengeToken(text: string): boolean {
  return text.length <= maxTokenLength && /^[\w-]+$/.test(text);
}

/** Path below which files lie that prove a name. Source: CA/Browser Forum, Baseline Requirements, 3.2.2.4.18 */
const validationPath = "/.well-known/pki-validation/";

/** Longest name of such a file. */
const validationFile = /^[\w-]{1,512}\.txt$/;

/**
 * The token that an authority requests by a path, or the name of a file that ends with `.txt`; "" for any
 * other path.
 */
export function challengeTokenOf(path: string): string {
  if (path.startsWith(challengePath)) {
    const token = path.slice(challengePath.length);
    return isChallengeToken(token) ? token : "";
  }
  const file = path.startsWith(validationPath) ? path.slice(validationPath.length) : "";
  return validationFile.test(file) ? file : "";
}
