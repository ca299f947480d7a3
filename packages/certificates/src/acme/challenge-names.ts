/** Path below which authorities ask for tokens. Source: RFC 8555, section 8.3 */
export const challengePath = "/.well-known/acme-challenge/";

/** The one protocol of TLS-ALPN-01. Source: RFC 8737 */
export const challengeProtocol = "acme-tls/1";
