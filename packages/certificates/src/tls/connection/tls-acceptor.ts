import type { Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import { challengeProtocol } from "../../acme/challenge-names.ts";
import { type CertificateAnswer, certificateTopics } from "../../material/certificate-messages.ts";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import { type ClientHello, maxHelloBytes, readClientHello } from "../client-hello.ts";
import type { Handshake } from "../matchers/handshake-matcher.ts";
import { policyTicketKey } from "../session-tickets.ts";
import type { ConnectionPolicy, ForeignClientAuth } from "./connection-policy.ts";
import type { HandshakeEvents } from "./handshake-events.ts";
import { setTlsDetails } from "./tls-details.ts";

/**
 * Time limit for the ClientHello, then for the event handlers, and then for the rest of the handshake. A slower client
 * is disconnected.
 */
const handshakeTimeoutMs = 10_000;

/** Alerts of TLS. Source: RFC 8446, section 6 */
const alerts = { unexpectedMessage: 10, decodeError: 50, internalError: 80 } as const;

/** The answer to a plain HTTP request on an HTTPS port. Source: Go's net/http, the server of Caddy */
const plainAnswer =
  "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" +
  "Client sent an HTTP request to an HTTPS server.\n";

/** Takes a connection whose handshake is done. */
export type SecureTaker = (socket: TLSSocket) => void;

/** A connection whose ClientHello was read, and for which a policy was found. */
interface Greeting {
  /** The socket, whose ClientHello is still unread. */
  readonly socket: Socket;
  readonly hello: ClientHello;
  /** Rules of this handshake. */
  readonly policy: ConnectionPolicy;
  /** Gets the connection after the handshake. */
  readonly taken: SecureTaker;
}

/** An IPv4 address without the prefix of IPv6 sockets. */
function bareAddress(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Fields that Node's own TLS server sets after the handshake; HTTP/2 needs them. */
interface Handshaking {
  secureConnecting: boolean;
  _releaseControl(): boolean;
}

/** Ends a connection whose handshake fails. Node reports failures by `_tlsError` until control is released. */
function watchHandshake(socket: TLSSocket): void {
  socket.on("error", () => socket.destroy());
  socket.on("_tlsError", () => socket.destroy());
}

/** Does the same as Node's own TLS server after a handshake, so that the socket starts to read and write. */
function endHandshake(socket: TLSSocket): void {
  const handshaking = socket as unknown as Handshaking;
  handshaking.secureConnecting = false;
  handshaking._releaseControl();
}

/** Certificates and requirements for a handshake outside this class. */
export interface ForeignHandshake {
  readonly answer: CertificateAnswer;
  /** Requirements for the client's certificate; undefined: no client certificate is requested. */
  readonly clientAuth: ForeignClientAuth | undefined;
}

/** Services that the handshakes of all connections share. */
interface AcceptorServices {
  readonly source: CertificateSource;
  readonly events: HandshakeEvents;
  readonly messages: ThreadMessages;
  readonly log: Logger;
}

/**
 * Does the handshakes of a server: chooses policy and certificate by the ClientHello.
 *
 * | Step | Failure |
 * |---|---|
 * | read the ClientHello | alert `decode_error`; plain HTTP gets an error or is passed on |
 * | find the policy | alert `internal_error`, or nothing if the policy drops connections |
 * | ask the event handlers | alert `internal_error` |
 * | find the certificate, perhaps from the main thread | alert `internal_error` |
 * | handshake by the library | the library's alert |
 * | judge the client's certificate | the connection is cut |
 *
 * Before `taken` is called, this class closes a failed connection; afterwards, the receiver of the connection must
 * close it.
 */
export class TlsAcceptor {
  readonly #policies: readonly ConnectionPolicy[];
  readonly #source: CertificateSource;
  readonly #events: HandshakeEvents;
  readonly #messages: ThreadMessages;
  readonly #log: Logger;
  /** Value of the source's `ticketGeneration` when the QUIC keys were read; -1 before they are read. */
  #ticketGeneration = -1;
  /** Ticket keys of QUIC, newest first. */
  #quicTicketKeys: readonly Buffer[] = [];

  constructor(policies: readonly ConnectionPolicy[], { source, events, messages, log }: AcceptorServices) {
    this.#policies = policies;
    this.#source = source;
    this.#events = events;
    this.#messages = messages;
    this.#log = log;
  }

  /**
   * @param plain called for a connection that starts with a plain-text request; undefined: such a connection is refused
   * @param taken gets the connection after its handshake; it is not called after a failed handshake
   */
  accept(socket: Socket, plain: (() => void) | undefined, taken: SecureTaker): void {
    const timer = setTimeout(() => socket.destroy(), handshakeTimeoutMs);
    const stop = () => {
      clearTimeout(timer);
      socket.off("data", onData);
      socket.off("end", onEnd);
    };
    let bytes: Buffer = Buffer.alloc(0);
    const onEnd = () => socket.destroy();
    const onData = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const state = readClientHello(bytes.length > maxHelloBytes ? bytes.subarray(0, maxHelloBytes) : bytes);
      if (state.kind === "partial") {
        return;
      }
      stop();
      if (state.kind === "hello") {
        socket.pause();
        socket.unshift(bytes);
        this.#greet(socket, state.hello, taken);
      } else if (state.kind === "foreign") {
        this.#answerForeign(socket, bytes, plain);
      } else {
        this.#alert(socket, alerts.decodeError);
      }
    };
    socket.on("error", () => socket.destroy());
    socket.once("close", stop);
    socket.on("data", onData);
    socket.on("end", onEnd);
  }

  /**
   * Rules for a handshake outside this class, such as QUIC's.
   * @returns undefined when the handshake must be refused
   * @throws ServerError THREAD
   */
  async certificatesFor(handshake: Handshake): Promise<ForeignHandshake | undefined> {
    const policy = this.#policies.find((each) => each.matches(handshake));
    if (policy === undefined || policy.drop || !policy.servesTls13) {
      return undefined;
    }
    const asked = this.#events.ask(handshake.hello);
    if (asked !== undefined && !(await asked)) {
      return undefined;
    }
    const name = handshake.hello.serverName || policy.defaultName || handshake.localAddress;
    const answer = await this.#find(policy, name);
    return answer === false ? undefined : { answer, clientAuth: policy.foreignClientAuth(answer) };
  }

  /** Keys of the tickets that resume QUIC sessions, newest first; empty when tickets are disabled. */
  get quicTicketKeys(): readonly Buffer[] {
    if (this.#ticketGeneration !== this.#source.ticketGeneration) {
      this.#ticketGeneration = this.#source.ticketGeneration;
      this.#quicTicketKeys = this.#source.ticketKeys.map((key) => policyTicketKey(key, "quic"));
    }
    return this.#quicTicketKeys;
  }

  /**
   * Index of the first policy that QUIC handshakes do not support, and its field, such as `0: curves`; "" when all are
   * supported.
   */
  get beyondQuic(): string {
    const found = this.#policies.findIndex((policy) => policy.beyondQuic !== "");
    return found === -1 ? "" : `${found}: ${this.#policies[found]?.beyondQuic}`;
  }

  /** Handles bytes that are not TLS. HTTP goes to `plain` or gets 400; all other connections are closed. */
  #answerForeign(socket: Socket, bytes: Buffer, plain: (() => void) | undefined): void {
    const isHttp = /^[A-Z]{3,7} /.test(bytes.toString("latin1", 0, 8));
    if (isHttp && plain !== undefined) {
      socket.pause();
      socket.unshift(bytes);
      plain();
      socket.resume();
    } else {
      socket.end(isHttp ? plainAnswer : "");
      socket.destroySoon();
    }
  }

  /**
   * Chooses the policy by the hello. An authority's TLS-ALPN-01 handshake is answered here and reaches no
   * policy.
   */
  #greet(socket: Socket, hello: ClientHello, taken: SecureTaker): void {
    if (hello.protocols.length === 1 && hello.protocols[0] === challengeProtocol) {
      this.#answerChallenge(socket, hello).catch((error: unknown) => this.#failed(socket, hello, error));
      return;
    }
    const localAddress = bareAddress(socket.localAddress);
    const handshake: Handshake = { hello, remoteAddress: bareAddress(socket.remoteAddress), localAddress };
    const policy = this.#policies.find((each) => each.matches(handshake));
    if (policy === undefined) {
      this.#alert(socket, alerts.internalError);
      return;
    }
    if (policy.drop) {
      socket.destroy();
      return;
    }
    const name = hello.serverName || policy.defaultName || localAddress;
    const asked = this.#events.ask(hello);
    if (asked === undefined) {
      this.#choose({ socket, hello, policy, taken }, name);
      return;
    }
    const timer = setTimeout(() => socket.destroy(), handshakeTimeoutMs);
    asked
      .then((mayGoOn) => {
        if (!mayGoOn) {
          this.#alert(socket, alerts.internalError);
        } else if (!socket.destroyed) {
          this.#choose({ socket, hello, policy, taken }, name);
        }
      })
      .catch((error: unknown) => this.#failed(socket, hello, error))
      .finally(() => clearTimeout(timer));
  }

  /** Finds the certificate: a cached answer is used immediately; otherwise the main thread is asked. */
  #choose(greeting: Greeting, name: string): void {
    const { socket, hello, policy } = greeting;
    const known = this.#source.known(name, policy.id);
    if (known) {
      this.#shake(greeting, known);
    } else {
      this.#find(policy, name).then(
        (answer) => {
          if (answer === false) {
            this.#log.debug(`no certificate for ${JSON.stringify(name)}`);
            this.#alert(socket, alerts.internalError);
          } else if (!socket.destroyed) {
            this.#shake(greeting, answer);
          }
        },
        (error: unknown) => this.#failed(socket, hello, error),
      );
    }
  }

  /**
   * Certificates of the name, or else of the policy's fallback name; false without certificates. @throws ServerError
   * THREAD
   */
  async #find(policy: ConnectionPolicy, name: string): Promise<CertificateAnswer | false> {
    const { selection, fallbackName } = policy;
    for (const serverName of fallbackName === "" ? [name] : [name, fallbackName]) {
      const known = this.#source.known(serverName, policy.id);
      const answer = known ?? (await this.#source.ask({ serverName, selection, onDemand: true }, policy.id));
      if (answer !== false) {
        return answer;
      }
    }
    return false;
  }

  /** Performs the handshake on a socket whose ClientHello is still unread. */
  #shake({ socket, hello, policy, taken }: Greeting, answer: CertificateAnswer): void {
    let secure: TLSSocket;
    try {
      secure = new TLSSocket(socket, {
        isServer: true,
        secureContext: policy.context(answer, this.#source, hello.ticketKey),
        requestCert: policy.clientAuth !== undefined,
        rejectUnauthorized: false,
        // An application protocol is agreed on only when both sides name some.
        ...(policy.protocols.length > 0 ? { ALPNProtocols: policy.protocols as unknown as string[] } : {}),
      });
    } catch (error) {
      this.#failed(socket, hello, error);
      return;
    }
    watchHandshake(secure);
    // Node's own timer is not used, because Node would also check it after each later read and write.
    const timer = setTimeout(() => secure.destroy(), handshakeTimeoutMs);
    secure.once("close", () => clearTimeout(timer));
    secure.once("secure", () => {
      clearTimeout(timer);
      endHandshake(secure);
      const fault = policy.clientAuth?.fault(secure);
      if (fault !== undefined) {
        this.#log.debug(`client ${secure.remoteAddress}: ${fault}`);
        secure.destroy();
        return;
      }
      setTlsDetails(secure, {
        serverName: hello.serverName,
        version: secure.getProtocol() ?? "",
        cipher: secure.getCipher()?.standardName ?? "",
      });
      taken(secure);
    });
  }

  /** Shows the certificate that proves the name, and ends the connection. Source: RFC 8737 */
  async #answerChallenge(socket: Socket, hello: ClientHello): Promise<void> {
    const found = await this.#messages.askMain(certificateTopics.alpnChallenge, hello.serverName);
    const [certificate] = (found as CertificateAnswer | undefined)?.certificates ?? [];
    if (certificate === undefined) {
      this.#alert(socket, alerts.internalError);
      return;
    }
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext(certificate),
      ALPNProtocols: [challengeProtocol],
      requestCert: false,
      ...{ handshakeTimeout: handshakeTimeoutMs },
    });
    watchHandshake(secure);
    secure.once("secure", () => {
      endHandshake(secure);
      secure.end();
    });
  }

  /** Handles an error of this server: logs it, and sends the client an alert. */
  #failed(socket: Socket, hello: ClientHello, error: unknown): void {
    this.#log.error(`handshake for ${JSON.stringify(hello.serverName)}: ${messageOf(error)}`);
    this.#alert(socket, alerts.internalError);
  }

  /** Sends a fatal alert in a separate record, and closes the connection. */
  #alert(socket: Socket, description: number): void {
    socket.end(Buffer.from([21, 3, 3, 0, 2, 2, description]));
    socket.destroySoon();
  }
}
