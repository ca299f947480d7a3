import type { CertificateSelection } from "./certificate-selection.ts";

/**
 * Topics between the threads that serve and the main thread, which obtains, keeps and renews certificates. Keys go from
 * thread to thread within the process and nowhere else.
 */
export const certificateTopics = {
  /** {@link ManageRequest}: obtain and renew certificates for names. Answers when those that need no other machine are there. */
  manage: "tls.manage",
  /** {@link CertificateRequest}: what to show for a name; {@link CertificateAnswer} or undefined. */
  find: "tls.find",
  /** Name, in lower case, of a certificate that the server shows as a client: looked after from now on; {@link CertificateAnswer} or undefined. */
  client: "tls.client",
  /** Such a name, which no config of a thread uses any more. */
  clientEnded: "tls.client_ended",
  /** News to all serving threads: cached answers may be old. */
  changed: "tls.changed",
  /** Key material for session tickets: {@link TicketAnswer}. */
  tickets: "tls.tickets",
  /** To all that serve: there is a new key for tickets. */
  ticketsChanged: "tls.tickets_changed",
  /** {@link ChallengeRequest}: what to answer to an authority; text or undefined. */
  httpChallenge: "tls.http_challenge",
  /** Name of a server: the certificate for the challenge TLS-ALPN-01; {@link CertificateAnswer} or undefined. */
  alpnChallenge: "tls.alpn_challenge",
  /** Key of a value in the storage; its text or undefined. */
  stored: "tls.stored",
  /** DNS servers of the app tls; a list of addresses, empty for those of the system. */
  resolvers: "tls.resolvers",
} as const;

/** The names of one config that certificates are to be obtained and renewed for. */
export interface ManageRequest {
  /** DNS names, which may begin with `*.`, and IP addresses. */
  readonly names: readonly string[];
  /** Also names that a loaded certificate covers. */
  readonly ignoreLoaded: boolean;
  /** Names with `*` of all servers of the config: their certificates serve for the names that they cover. */
  readonly wildcards: readonly string[];
}

/** The certificate that a thread wants for a handshake. */
export interface CertificateRequest {
  /** Lower case, or an IP address; "" when the client named none and is known by no address. */
  readonly serverName: string;
  /** How a policy of the config chooses among several that fit; undefined: by the name alone. */
  readonly selection: CertificateSelection | undefined;
  /** Whether one may be obtained now, where the config allows that. */
  readonly onDemand: boolean;
}

/** The certificate of a name, in the forms that a handshake needs. */
export interface CertificateAnswer {
  /** Hash of certificate and key: a thread that knows it need not build its TLS context again. */
  readonly id: string;
  /** One for each kind of key. */
  readonly certificates: readonly { readonly cert: string; readonly key: string }[];
}

/** Keys that encrypt session tickets, the same in all threads. */
export interface TicketAnswer {
  /** 48 bytes each, newest first; none when there are to be no tickets. */
  readonly keys: readonly Uint8Array[];
}

/** A request of an authority below `/.well-known/`. */
export interface ChallengeRequest {
  /** Last part of its path. */
  readonly token: string;
  /** Host of the request, without its port: the name that is to be proven. */
  readonly host: string;
}
