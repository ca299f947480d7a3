import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import {
  aes128Gcm,
  aes256Gcm,
  type CipherSuite,
  chacha20Poly1305,
  cipherSuites,
} from "../protection/cipher-suites.ts";
import {
  type ClientAuthentication,
  checkCertificateVerify,
  encodeCertificateRequest,
  readCertificateChain,
} from "./client-authentication.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";
import {
  type Certificate,
  encodeCertificate,
  encodeCertificateVerify,
  encodeEncryptedExtensions,
  encodeFinished,
  encodeNewSessionTicket,
  encodeServerHello,
  handshakeTypes,
  retryRandom,
} from "./handshake-messages.ts";
import { answerKeyShare, type KeyExchangeGroup, keyExchangeGroups } from "./key-exchange.ts";
import { KeySchedule } from "./key-schedule.ts";
import { MessageSplitter } from "./message-splitter.ts";
import {
  type EarlyDataTerms,
  type OpenedTicket,
  openTicket,
  type SessionTickets,
  sealTicket,
} from "./session-tickets.ts";
import { schemeFor, signTranscript } from "./signatures.ts";
import type { SingleUseSerials } from "./single-use-serials.ts";
import { alerts, tlsAlert } from "./tls-alert.ts";
import type { CryptoLevel, HandshakeEvents, TlsHandshake } from "./tls-handshake.ts";

/** Requirements for early data. */
export interface EarlyDataOptions {
  /** Numbers of tickets. Each ticket's early data is taken once by all servers that share this memory. */
  readonly serials: SingleUseSerials;
  /**
   * Names all limits and settings that clients remember of a session. Early data is taken only if this text equals the
   * text in the ticket. Undefined: none is taken now, and tickets allow none.
   */
  readonly terms: () => string | undefined;
}

export interface ServerHandshakeOptions {
  /** ALPN protocols, the preferred one first. */
  readonly protocols: readonly string[];
  /** Finds the certificate for a client. It may answer at once or later; undefined ends the handshake. */
  readonly chooseCertificate: (
    hello: ClientHello,
    answer: (certificate: Certificate | undefined) => void,
  ) => void;
  /** Returns the server's encoded transport parameters. Called once, when the client's parameters are known. */
  readonly transportParameters: () => Buffer;
  /** Default: no tickets. */
  readonly tickets?: SessionTickets | undefined;
  /** Default: no early data. */
  readonly earlyData?: EarlyDataOptions | undefined;
}

/** A valid ticket of the client. */
interface AcceptedTicket {
  readonly index: number;
  readonly session: OpenedTicket;
  /** Age of the ticket by the client's clock, in milliseconds. */
  readonly clientAgeMs: number;
}

/** A ClientHello that waits for the server's certificate. */
interface PendingHello {
  readonly hello: ClientHello;
  readonly group: KeyExchangeGroup;
  readonly share: Buffer;
  readonly ticket: AcceptedTicket | undefined;
}

/**
 * The message that comes next. `own certificate` and `verdict` wait for the application.
 *
 * | State | Comes next | Then |
 * |---|---|---|
 * | `hello` | ClientHello | `own certificate`, or `second hello` when it has no usable key share |
 * | `second hello` | ClientHello with the requested key share | `own certificate` |
 * | `own certificate` | the application's certificate | `certificate`, or `finished` when clients are not asked for one |
 * | `certificate` | Certificate of the client | `certificate verify`, or `finished` when it is empty and may be empty |
 * | `certificate verify` | CertificateVerify | `finished` |
 * | `finished` | Finished | `verdict`, or `done` when clients are not asked for a certificate |
 * | `verdict` | the application's decision on the certificate | `done` |
 * | `done` | nothing | |
 *
 * Any other message causes an alert, which ends the connection.
 */
type State =
  | "hello"
  | "second hello"
  | "own certificate"
  | "certificate"
  | "certificate verify"
  | "finished"
  | "verdict"
  | "done";

/**
 * Maximum difference in milliseconds between the ticket's ages by the clocks of client and server. With a larger
 * difference, somebody may have held the message back, so its early data is not taken. Source: RFC 8446, section 8.3
 */
const maxAgeDifferenceMs = 10_000;
const termsBytes = 16;

const noSecret = Buffer.alloc(0);
/** Nonce of the ticket. A constant is enough, because each handshake issues only one ticket. */
const ticketNonce = Buffer.of(0);

/** Bytes of the type and length before a handshake message. */
const headerBytes = 4;
/** A message without its header. */
const bodyOf = (message: Buffer) => message.subarray(headerBytes);

/** The server's side of TLS 1.3 in QUIC. Source: RFC 8446, RFC 9001 */
export class ServerHandshake implements TlsHandshake {
  readonly #options: ServerHandshakeOptions;
  readonly #events: HandshakeEvents;
  /** Messages may be split into several CRYPTO frames; each level has its own stream of bytes. */
  readonly #splitters = { initial: new MessageSplitter(), handshake: new MessageSplitter() };
  #state: State = "hello";
  /** Cipher suite chosen for the first hello. The second hello must lead to the same suite. */
  #suite: CipherSuite = aes128Gcm;
  /** Group of the key share that was requested; undefined without a second hello. */
  #group: KeyExchangeGroup | undefined;
  /** Secrets and transcript; undefined before the first hello. */
  #schedule: KeySchedule | undefined;
  /** Secret of the client's Handshake packets, which also verifies the client's Finished. */
  #clientHandshakeSecret: Buffer = noSecret;
  /** Requirements for the client's certificate; undefined: none is requested. */
  #clientAuthentication: ClientAuthentication | undefined;
  /** Client's certificate chain in DER, its own certificate first; empty without a certificate. */
  #clientChain: Buffer[] = [];
  #serverName: string | undefined;
  /** True when the session started with a ticket; then no certificates are sent. */
  #resumed = false;
  /** Secret of 1-RTT packets of the client, kept until its Finished is checked. */
  #clientSecret: Buffer = noSecret;
  #protocol = "";

  constructor(options: ServerHandshakeOptions, events: HandshakeEvents) {
    this.#options = options;
    this.#events = events;
  }

  receive(level: CryptoLevel, bytes: Buffer): void {
    if (level === "1rtt") {
      // A client must send no TLS message after the handshake, not even KeyUpdate: RFC 9001, section 6.
      throw tlsAlert(alerts.unexpectedMessage, "a handshake message after the handshake");
    }
    const splitter = this.#splitters[level];
    splitter.push(bytes);
    for (let message = splitter.next(); message !== undefined; message = splitter.next()) {
      this.#receiveMessage(level, message);
    }
  }

  /** @throws QuicError with a TLS alert for a message that is not allowed now */
  #receiveMessage(level: "initial" | "handshake", message: Buffer): void {
    const type = message[0] as number;
    if (
      level === "initial" &&
      type === handshakeTypes.clientHello &&
      (this.#state === "hello" || this.#state === "second hello")
    ) {
      if (this.#splitters.initial.pendingBytes > 0) {
        throw tlsAlert(alerts.unexpectedMessage, "bytes behind the ClientHello");
      }
      this.#receiveHello(message);
    } else if (level === "handshake") {
      this.#receiveHandshake(type, message);
    } else {
      throw tlsAlert(alerts.unexpectedMessage, `handshake message ${type} out of order`);
    }
  }

  /** Chooses suite, group and protocol, then requests the certificate. @throws QuicError with a TLS alert */
  #receiveHello(message: Buffer): void {
    const hello = readClientHello(bodyOf(message));
    const suite = chooseSuite(hello.cipherSuites);
    const schedule = this.#schedule ?? new KeySchedule(suite.hash);
    if (this.#schedule !== undefined && suite !== this.#suite) {
      throw tlsAlert(alerts.illegalParameter, "the second ClientHello has other cipher suites");
    }
    this.#suite = suite;
    this.#schedule = schedule;
    const ticket = this.#acceptTicket(schedule, hello, message);
    schedule.addMessage(message);
    const group = this.#group ?? chooseGroup(hello);
    const share = hello.keyShares.get(group.id);
    if (share === undefined) {
      this.#requestKeyShare(schedule, group);
      return;
    }
    this.#protocol = this.#chooseProtocol(hello.protocols);
    this.#serverName = hello.serverName;
    this.#events.onTransportParameters(hello.transportParameters);
    this.#state = "own certificate";
    let early = true;
    this.#options.chooseCertificate(hello, (certificate) => {
      if (this.#state !== "own certificate") {
        return;
      }
      try {
        this.#answerHello(schedule, { hello, group, share, ticket }, certificate);
      } catch (error) {
        if (early) {
          throw error;
        }
        this.#events.onHandshakeError(error);
      }
    });
    early = false;
  }

  /** @returns the first valid ticket; undefined for none */
  #acceptTicket(schedule: KeySchedule, hello: ClientHello, message: Buffer): AcceptedTicket | undefined {
    const { tickets } = this.#options;
    if (tickets === undefined) {
      return undefined;
    }
    for (const [index, { ticket, binder, hiddenAge }] of hello.tickets.entries()) {
      const session = openTicket(tickets, ticket);
      const suite = cipherSuites.find(({ id }) => id === session?.suite);
      if (session?.serverName !== (hello.serverName ?? "") || suite?.hash !== this.#suite.hash) {
        continue;
      }
      const expected = schedule.binder(session.psk, message.subarray(0, headerBytes + hello.binderlessBytes));
      if (binder.length !== expected.length || !timingSafeEqual(binder, expected)) {
        throw tlsAlert(alerts.decryptError, "the client does not have the secret of its ticket");
      }
      return { index, session, clientAgeMs: (hiddenAge - session.ageAdd) >>> 0 };
    }
    return undefined;
  }

  /** Sends a HelloRetryRequest. Source: RFC 8446, section 4.1.4 */
  #requestKeyShare(schedule: KeySchedule, group: KeyExchangeGroup): void {
    if (this.#state === "second hello") {
      throw tlsAlert(alerts.illegalParameter, "the second ClientHello lacks the key that it was asked for");
    }
    this.#group = group;
    this.#state = "second hello";
    schedule.replaceFirstHello();
    const request = encodeServerHello({
      random: retryRandom,
      suite: this.#suite.id,
      group: group.id,
    });
    schedule.addMessage(request);
    this.#events.onCrypto("initial", request);
  }

  /** The server's best protocol that the client offers. QUIC must agree on one: RFC 9001, section 8.1. */
  #chooseProtocol(offered: readonly string[]): string {
    const protocol = this.#options.protocols.find((name) => offered.includes(name));
    if (protocol === undefined) {
      throw tlsAlert(alerts.noApplicationProtocol, "the client offers no protocol that is served");
    }
    return protocol;
  }

  /** Sends all of the server's handshake messages. */
  #answerHello(schedule: KeySchedule, pending: PendingHello, certificate: Certificate | undefined): void {
    const { hello, group, share } = pending;
    if (certificate === undefined) {
      throw tlsAlert(alerts.unrecognizedName, "no certificate for the server name");
    }
    this.#clientAuthentication = certificate.clientAuthentication;
    // Clients that must show a certificate show it each time.
    const ticket = this.#clientAuthentication === undefined ? pending.ticket : undefined;
    this.#resumed = ticket !== undefined;
    const takesEarlyData = this.#decideEarlyData(schedule, hello, ticket);
    const answer = answerKeyShare(group, share);
    const serverHello = encodeServerHello({
      random: randomBytes(32),
      suite: this.#suite.id,
      group: group.id,
      keyShare: answer.share,
      ticketIndex: ticket?.index,
    });
    schedule.addMessage(serverHello);
    this.#events.onCrypto("initial", serverHello);
    if (ticket !== undefined) {
      schedule.usePsk(ticket.session.psk);
    }
    const secrets = schedule.handshakeSecrets(answer.secret);
    this.#events.onWriteSecret("handshake", this.#suite, secrets.server);
    this.#events.onReadSecret("handshake", this.#suite, secrets.client);
    const send = (message: Buffer) => {
      schedule.addMessage(message);
      return message;
    };
    const transportParameters = this.#options.transportParameters();
    const [protocol, namedServer] = [this.#protocol, hello.serverName !== undefined];
    const flight = [
      send(encodeEncryptedExtensions({ protocol, namedServer, transportParameters, takesEarlyData })),
      ...(ticket === undefined ? this.#ownCertificate(schedule, hello, certificate) : []),
      send(encodeFinished(schedule.finished(secrets.server))),
    ];
    this.#events.onCrypto("handshake", Buffer.concat(flight));
    this.#clientHandshakeSecret = secrets.client;
    const application = schedule.applicationSecrets();
    this.#clientSecret = application.client;
    this.#state = this.#clientAuthentication === undefined ? "finished" : "certificate";
    this.#events.onWriteSecret("1rtt", this.#suite, application.server);
  }

  /** Takes early data, or drops its packets. @returns true when it is taken */
  #decideEarlyData(schedule: KeySchedule, hello: ClientHello, ticket: AcceptedTicket | undefined): boolean {
    const takes = ticket !== undefined && hello.sendsEarlyData && this.#mayTakeEarlyData(ticket);
    const secret = takes ? schedule.earlyTrafficSecret(ticket.session.psk) : undefined;
    this.#events.onEarlyData(this.#suite, secret);
    return takes;
  }

  /**
   * True for the first use of a fresh ticket, whose session had the same limits. Source: RFC 8446, sections 4.2.10
   * and 8; RFC 9001, section 4.6.2
   */
  #mayTakeEarlyData({ index, session, clientAgeMs }: AcceptedTicket): boolean {
    const { earlyData } = this.#options;
    const terms = this.#earlyDataTerms();
    const issued = session.earlyData;
    return (
      earlyData !== undefined &&
      terms !== undefined &&
      issued !== undefined &&
      index === 0 &&
      // After a HelloRetryRequest the client sends no early data.
      this.#group === undefined &&
      session.suite === this.#suite.id &&
      issued.terms.equals(terms) &&
      Math.abs(session.ageMs - clientAgeMs) <= maxAgeDifferenceMs &&
      issued.epoch === earlyData.serials.epoch &&
      earlyData.serials.claim(issued.serial)
    );
  }

  /** Hash of what the client remembers for its early data; undefined when none is taken. */
  #earlyDataTerms(): Buffer | undefined {
    const terms = this.#options.earlyData?.terms();
    return terms === undefined
      ? undefined
      : createHash("sha256").update(`${this.#protocol}\n${terms}`).digest().subarray(0, termsBytes);
  }

  #newEarlyData(): EarlyDataTerms | undefined {
    const terms = this.#earlyDataTerms();
    const serials = this.#options.earlyData?.serials;
    return terms && serials && { serial: serials.issue(), epoch: serials.epoch, terms };
  }

  /** @returns messages that are in the transcript already */
  #ownCertificate(schedule: KeySchedule, hello: ClientHello, certificate: Certificate): Buffer[] {
    const { key, chain, clientAuthentication } = certificate;
    const scheme = schemeFor(key, hello.signatureSchemes);
    if (scheme === undefined) {
      throw tlsAlert(alerts.handshakeFailure, "the client cannot verify signatures of the certificate's key");
    }
    const messages = [
      ...(clientAuthentication === undefined ? [] : [encodeCertificateRequest(clientAuthentication)]),
      encodeCertificate(chain),
    ];
    for (const message of messages) {
      schedule.addMessage(message);
    }
    const signature = signTranscript(scheme, key, { side: "server", hash: schedule.transcriptHash() });
    const verify = encodeCertificateVerify(scheme.id, signature);
    schedule.addMessage(verify);
    return [...messages, verify];
  }

  /** The client's certificate, signature and Finished. Each message enters the transcript after it was checked. */
  #receiveHandshake(type: number, message: Buffer): void {
    const schedule = this.#schedule as KeySchedule;
    if (type === handshakeTypes.certificate && this.#state === "certificate") {
      this.#clientChain = readCertificateChain(bodyOf(message));
      if (this.#clientChain.length === 0 && this.#clientAuthentication?.required === true) {
        throw tlsAlert(alerts.certificateRequired, "the client has no certificate");
      }
      this.#state = this.#clientChain.length === 0 ? "finished" : "certificate verify";
    } else if (type === handshakeTypes.certificateVerify && this.#state === "certificate verify") {
      checkCertificateVerify(bodyOf(message), this.#clientChain, schedule.transcriptHash());
      this.#state = "finished";
    } else if (type === handshakeTypes.finished && this.#state === "finished") {
      this.#receiveFinished(schedule, message);
      return;
    } else {
      throw tlsAlert(alerts.unexpectedMessage, `handshake message ${type} out of order`);
    }
    schedule.addMessage(message);
  }

  /**
   * Checks that both sides saw the same handshake: RFC 8446, section 4.4.4. Then the application judges the
   * client's certificate.
   */
  #receiveFinished(schedule: KeySchedule, message: Buffer): void {
    const verifyData = bodyOf(message);
    const expected = schedule.finished(this.#clientHandshakeSecret);
    if (verifyData.length !== expected.length || !timingSafeEqual(verifyData, expected)) {
      throw tlsAlert(alerts.decryptError, "the client's Finished is wrong");
    }
    if (this.#splitters.handshake.pendingBytes > 0) {
      throw tlsAlert(alerts.unexpectedMessage, "bytes behind the client's Finished");
    }
    schedule.addMessage(message);
    const authentication = this.#clientAuthentication;
    if (authentication === undefined) {
      this.#finish(schedule);
      return;
    }
    this.#state = "verdict";
    let early = true;
    authentication.verify(this.#clientChain, (problem) => {
      if (this.#state !== "verdict") {
        return;
      }
      if (problem === undefined) {
        this.#finish(schedule);
        return;
      }
      const error = tlsAlert(alerts.badCertificate, problem);
      if (early) {
        throw error;
      }
      this.#events.onHandshakeError(error);
    });
    early = false;
  }

  /** The handshake has ended: 1-RTT packets are read. The client gets a ticket if that is allowed. */
  #finish(schedule: KeySchedule): void {
    this.#state = "done";
    // 1-RTT packets are read only now: RFC 9001, section 5.7.
    this.#events.onReadSecret("1rtt", this.#suite, this.#clientSecret);
    this.#events.onHandshakeDone(this.#protocol, {
      serverName: this.#serverName,
      certificates: this.#clientChain,
      resumed: this.#resumed,
    });
    this.#giveTicket(schedule);
    // The connection keeps this object, for clients that send messages after the handshake.
    this.#schedule = undefined;
    this.#clientSecret = noSecret;
    this.#clientHandshakeSecret = noSecret;
  }

  #giveTicket(schedule: KeySchedule): void {
    const { tickets } = this.#options;
    if (tickets === undefined || this.#clientAuthentication !== undefined) {
      return;
    }
    const earlyData = this.#newEarlyData();
    const sealed = sealTicket(tickets, {
      earlyData,
      psk: schedule.resumptionPsk(ticketNonce),
      suite: this.#suite.id,
      serverName: this.#serverName ?? "",
    });
    if (sealed !== undefined) {
      this.#events.onCrypto("1rtt", encodeNewSessionTicket(sealed, ticketNonce, earlyData !== undefined));
    }
  }
}

/** Prefers AES, for which servers have hardware. A client without such hardware names ChaCha20 first. */
function chooseSuite(offered: readonly number[]): CipherSuite {
  const preferred =
    offered[0] === chacha20Poly1305.id
      ? [chacha20Poly1305, aes128Gcm, aes256Gcm]
      : [aes128Gcm, aes256Gcm, chacha20Poly1305];
  const suite = preferred.find(({ id }) => offered.includes(id));
  if (suite === undefined) {
    throw tlsAlert(alerts.handshakeFailure, "the client offers no cipher suite of TLS 1.3 that is served");
  }
  return suite;
}

/** A group for which the client sent a key, otherwise one for which it can send a key. */
function chooseGroup(hello: ClientHello): KeyExchangeGroup {
  const group =
    keyExchangeGroups.find(({ id }) => hello.keyShares.has(id) && hello.groups.includes(id)) ??
    keyExchangeGroups.find(({ id }) => hello.groups.includes(id));
  if (group === undefined) {
    throw tlsAlert(alerts.handshakeFailure, "the client offers no group of key exchange that is served");
  }
  return group;
}
