import type { CertificateSelection } from "./certificate-selection.ts";

/**
 * Topics between the serving threads and the main thread, which obtains, stores and renews certificates. Private keys
 * are sent between the threads of the process.
 */
export const certificateTopics = {
  /**
   * {@link ManageRequest}: obtain and renew certificates for names. Returns as soon as the certificates that can be
   * made without another machine are available.
   */
  manage: "tls.manage",
  /**
   * {@link CertificateRequest}: finds the certificate for a server name; answer: {@link CertificateAnswer} or
   * undefined.
   */
  find: "tls.find",
  /**
   * Finds a client certificate, which this server sends to other servers, and manages it from now on. Value: its name
   * in lower case. Answer: {@link CertificateAnswer} or undefined.
   */
  client: "tls.client",
  /** Lower-case name of a client certificate that no config of the thread uses any more. */
  clientEnded: "tls.client_ended",
  /** Message to all serving threads: their cached answers may be outdated. */
  changed: "tls.changed",
  /** Key material for session tickets: {@link TicketAnswer}. */
  tickets: "tls.tickets",
  /** Message to all serving threads: there is a new ticket key. */
  ticketsChanged: "tls.tickets_changed",
  /** {@link ChallengeRequest}: finds the response to a CA; answer: its text or undefined. */
  httpChallenge: "tls.http_challenge",
  /**
   * Finds the certificate for the challenge TLS-ALPN-01. Value: the server name. Answer: {@link CertificateAnswer} or
   * undefined.
   */
  alpnChallenge: "tls.alpn_challenge",
  /** Loads a text from the storage. Value: its key. Answer: the text or undefined. */
  stored: "tls.stored",
  /**
   * Asks for the DNS servers of the tls app. Answer: a list of addresses; an empty list means the servers of the
   * system.
   */
  resolvers: "tls.resolvers",
} as const;

/** The names of one config for which certificates are obtained and renewed. */
export interface ManageRequest {
  /** DNS names, which may start with `*.`, and IP addresses. */
  readonly names: readonly string[];
  /** True: also manage names that a loaded certificate covers. */
  readonly ignoreLoaded: boolean;
  /** Names with `*` of all servers in the config: such a certificate is also used for the names that it covers. */
  readonly wildcards: readonly string[];
}

/** A thread's request for a certificate for a handshake. */
export interface CertificateRequest {
  /**
   * Server name in lower case, or an IP address; "" when the client sent no name and its connection has no local
   * address.
   */
  readonly serverName: string;
  /** Conditions of a policy for choosing among several certificates; undefined: only the name decides. */
  readonly selection: CertificateSelection | undefined;
  /** True when a certificate may be obtained during this handshake, provided that the config allows it. */
  readonly onDemand: boolean;
}

/** The certificate of a name, in the forms that a handshake needs. */
export interface CertificateAnswer {
  /** Hash of certificate and key. A thread that knows the hash need not build its TLS context again. */
  readonly id: string;
  /** One certificate for each kind of key. */
  readonly certificates: readonly { readonly cert: string; readonly key: string }[];
}

/** Keys that encrypt session tickets, the same in all threads. */
export interface TicketAnswer {
  /** Ticket keys of 48 bytes, newest first; empty: tickets are disabled. */
  readonly keys: readonly Uint8Array[];
}

/** An HTTP request of a CA below `/.well-known/`. */
export interface ChallengeRequest {
  /** Last segment of the request's path. */
  readonly token: string;
  /** Host of the request without its port: the name that the CA checks. */
  readonly host: string;
}
