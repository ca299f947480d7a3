/** Path below which authorities ask for tokens. Source: RFC 8555, section 8.3 */
export const challengePath = "/.well-known/acme-challenge/";

/** The only protocol of TLS-ALPN-01. Source: RFC 8737 */
export const challengeProtocol = "acme-tls/1";

/** Length limit of tokens; tokens of CAs have about forty characters. */
const maxTokenLength = 512;

/**
 * True when a text has the form of a token, as CAs send it. Clients that are not CAs may also send such texts. Source:
 * RFC 8555, section 8.1
 */
export function isChallengeToken(text: string): boolean {
  return text.length <= maxTokenLength && /^[\w-]+$/.test(text);
}

/**
 * Path below which a CA reads the files that prove control of a name. Source: CA/Browser Forum, Baseline Requirements,
 * 3.2.2.4.18
 */
const validationPath = "/.well-known/pki-validation/";

/** Valid names of validation files. */
const validationFile = /^[\w-]{1,512}\.txt$/;

/** The token in the path of a CA's request, or the name of a file that ends with `.txt`; "" for any other path. */
export function challengeTokenOf(path: string): string {
  if (path.startsWith(challengePath)) {
    const token = path.slice(challengePath.length);
    return isChallengeToken(token) ? token : "";
  }
  const file = path.startsWith(validationPath) ? path.slice(validationPath.length) : "";
  return validationFile.test(file) ? file : "";
}
