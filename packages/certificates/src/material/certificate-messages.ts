import type { CertificateSelection } from "./certificate-selection.ts";

/**
 * Topics between the serving threads and the main thread, which obtains, stores and renews certificates. Keys are sent
 * from thread to thread within the process and never leave it.
 */
export const certificateTopics = {
  /**
   * {@link ManageRequest}: obtain and renew certificates for names. Returns when the certificates that need no other
   * machine are available.
   */
  manage: "tls.manage",
  /** {@link CertificateRequest}: which certificate to send for a name; {@link CertificateAnswer} or undefined. */
  find: "tls.find",
  /**
   * Lower-case name of a certificate that this server sends as a client. From now on the name is managed; {@link
   * CertificateAnswer} or undefined.
   */
  client: "tls.client",
  /** Such a client name, which no config of a thread uses any more. */
  clientEnded: "tls.client_ended",
  /** News to all serving threads: cached answers may be old. */
  changed: "tls.changed",
  /** Key material for session tickets: {@link TicketAnswer}. */
  tickets: "tls.tickets",
  /** Notice to all serving threads: there is a new ticket key. */
  ticketsChanged: "tls.tickets_changed",
  /** {@link ChallengeRequest}: the response to a CA; text or undefined. */
  httpChallenge: "tls.http_challenge",
  /** Name of a server: the certificate for the challenge TLS-ALPN-01; {@link CertificateAnswer} or undefined. */
  alpnChallenge: "tls.alpn_challenge",
  /** Key of a value in the storage; its text or undefined. */
  stored: "tls.stored",
  /** DNS servers of the app tls: a list of addresses; an empty list means those of the system. */
  resolvers: "tls.resolvers",
} as const;

/** The names of one config for which certificates are obtained and renewed. */
export interface ManageRequest {
  /** DNS names, which may start with `*.`, and IP addresses. */
  readonly names: readonly string[];
  /** True: also manage names that a loaded certificate covers. */
  readonly ignoreLoaded: boolean;
  /** Names with `*` of all servers of the config: their certificates are also used for the names that they cover. */
  readonly wildcards: readonly string[];
}

/** A thread's request for a certificate for a handshake. */
export interface CertificateRequest {
  /** Server name in lower case, or an IP address; "" when the client sent no name and its address has none. */
  readonly serverName: string;
  /** Conditions of a policy for the choice among several certificates; undefined: only the name counts. */
  readonly selection: CertificateSelection | undefined;
  /** True when a certificate may be obtained now, if the config allows that. */
  readonly onDemand: boolean;
}

/** The certificate of a name, in the forms that a handshake needs. */
export interface CertificateAnswer {
  /** Hash of certificate and key. A thread that knows the hash need not build its TLS context again. */
  readonly id: string;
  /** One for each kind of key. */
  readonly certificates: readonly { readonly cert: string; readonly key: string }[];
}

/** Keys that encrypt session tickets, the same in all threads. */
export interface TicketAnswer {
  /** Ticket keys of 48 bytes, newest first; empty: tickets are off. */
  readonly keys: readonly Uint8Array[];
}

/** A request of a CA below `/.well-known/`. */
export interface ChallengeRequest {
  /** Last segment of its path. */
  readonly token: string;
  /** Host of the request, without its port: the name that is to be proven. */
  readonly host: string;
}
