import { randomBytes, timingSafeEqual } from "node:crypto";
import { aes128Gcm, aes256Gcm, type CipherSuite, chacha20Poly1305 } from "../protection/cipher-suites.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";
import {
  type Certificate,
  encodeCertificate,
  encodeCertificateVerify,
  encodeEncryptedExtensions,
  encodeFinished,
  encodeServerHello,
  handshakeTypes,
  retryRandom,
} from "./handshake-messages.ts";
import { answerKeyShare, type KeyExchangeGroup, keyExchangeGroups } from "./key-exchange.ts";
import { KeySchedule } from "./key-schedule.ts";
import { MessageSplitter } from "./message-splitter.ts";
import { schemeFor, signTranscript } from "./signatures.ts";
import { alerts, tlsAlert } from "./tls-alert.ts";
import type { CryptoLevel, HandshakeEvents, TlsHandshake } from "./tls-handshake.ts";

export interface ServerHandshakeOptions {
  /** Protocols of ALPN, the best first. */
  readonly protocols: readonly string[];
  /** Finds the certificate for a client. It may answer at once or later; undefined ends the handshake. */
  readonly chooseCertificate: (
    hello: ClientHello,
    answer: (certificate: Certificate | undefined) => void,
  ) => void;
  /** Encoded. Called once, when the client's are known. */
  readonly transportParameters: () => Buffer;
}

const bodyOf = (message: Buffer) => message.subarray(4);

/** The server's side of TLS 1.3 in QUIC. Without tickets and client certificates. Source: RFC 8446, RFC 9001 */
export class ServerHandshake implements TlsHandshake {
  readonly #options: ServerHandshakeOptions;
  readonly #events: HandshakeEvents;
  readonly #splitters = { initial: new MessageSplitter(), handshake: new MessageSplitter() };
  #state: "hello" | "second hello" | "certificate" | "finished" | "done" = "hello";
  #suite: CipherSuite = aes128Gcm;
  #group: KeyExchangeGroup | undefined;
  #schedule: KeySchedule | undefined;
  #clientFinished: Buffer = Buffer.alloc(0);
  #clientSecret: Buffer = Buffer.alloc(0);
  #protocol = "";

  constructor(options: ServerHandshakeOptions, events: HandshakeEvents) {
    this.#options = options;
    this.#events = events;
  }

  receive(level: CryptoLevel, bytes: Buffer): void {
    if (level === "1rtt") {
      // Neither KeyUpdate nor anything else may come from a client: RFC 9001, section 6.
      throw tlsAlert(alerts.unexpectedMessage, "a handshake message after the handshake");
    }
    const splitter = this.#splitters[level];
    splitter.push(bytes);
    for (let message = splitter.next(); message !== undefined; message = splitter.next()) {
      this.#receiveMessage(level, message);
    }
  }

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
    } else if (level === "handshake" && type === handshakeTypes.finished && this.#state === "finished") {
      this.#receiveFinished(message);
    } else {
      throw tlsAlert(alerts.unexpectedMessage, `handshake message ${type} out of order`);
    }
  }

  #receiveHello(message: Buffer): void {
    const hello = readClientHello(bodyOf(message));
    const suite = chooseSuite(hello.cipherSuites);
    const schedule = this.#schedule ?? new KeySchedule(suite.hash);
    if (this.#schedule !== undefined && suite !== this.#suite) {
      throw tlsAlert(alerts.illegalParameter, "the second ClientHello has other cipher suites");
    }
    this.#suite = suite;
    this.#schedule = schedule;
    schedule.addMessage(message);
    const group = this.#group ?? chooseGroup(hello);
    const share = hello.keyShares.get(group.id);
    if (share === undefined) {
      this.#requestKeyShare(schedule, group);
      return;
    }
    this.#protocol = this.#chooseProtocol(hello.protocols);
    this.#events.onTransportParameters(hello.transportParameters);
    const { share: ownShare, secret } = answerKeyShare(group, share);
    const serverHello = encodeServerHello(randomBytes(32), suite.id, group.id, ownShare);
    schedule.addMessage(serverHello);
    this.#events.onCrypto("initial", serverHello);
    const secrets = schedule.handshakeSecrets(secret);
    this.#events.onWriteSecret("handshake", suite, secrets.server);
    this.#events.onReadSecret("handshake", suite, secrets.client);
    this.#state = "certificate";
    let early = true;
    this.#options.chooseCertificate(hello, (certificate) => {
      if (this.#state !== "certificate") {
        return;
      }
      try {
        this.#sendCertificate(schedule, hello, certificate, secrets);
      } catch (error) {
        if (early) {
          throw error;
        }
        this.#events.onHandshakeError(error);
      }
    });
    early = false;
  }

  #requestKeyShare(schedule: KeySchedule, group: KeyExchangeGroup): void {
    if (this.#state === "second hello") {
      throw tlsAlert(alerts.illegalParameter, "the second ClientHello lacks the key that it was asked for");
    }
    this.#group = group;
    this.#state = "second hello";
    schedule.replaceFirstHello();
    const request = encodeServerHello(retryRandom, this.#suite.id, group.id, undefined);
    schedule.addMessage(request);
    this.#events.onCrypto("initial", request);
  }

  #chooseProtocol(offered: readonly string[]): string {
    const protocol = this.#options.protocols.find((name) => offered.includes(name));
    if (protocol === undefined) {
      throw tlsAlert(alerts.noApplicationProtocol, "the client offers no protocol that is served");
    }
    return protocol;
  }

  #sendCertificate(
    schedule: KeySchedule,
    hello: ClientHello,
    certificate: Certificate | undefined,
    secrets: { readonly client: Buffer; readonly server: Buffer },
  ): void {
    if (certificate === undefined) {
      throw tlsAlert(alerts.unrecognizedName, "no certificate for the server name");
    }
    const scheme = schemeFor(certificate.key, hello.signatureSchemes);
    if (scheme === undefined) {
      throw tlsAlert(alerts.handshakeFailure, "the client cannot verify signatures of the certificate's key");
    }
    const parameters = this.#options.transportParameters();
    const send = (message: Buffer) => {
      schedule.addMessage(message);
      return message;
    };
    const flight = [
      send(encodeEncryptedExtensions(this.#protocol, hello.serverName !== undefined, parameters)),
      send(encodeCertificate(certificate.chain)),
      send(
        encodeCertificateVerify(
          scheme.id,
          signTranscript(scheme, certificate.key, schedule.transcriptHash()),
        ),
      ),
      send(encodeFinished(schedule.finished(secrets.server))),
    ];
    this.#events.onCrypto("handshake", Buffer.concat(flight));
    this.#clientFinished = schedule.finished(secrets.client);
    const application = schedule.applicationSecrets();
    this.#clientSecret = application.client;
    this.#state = "finished";
    this.#events.onWriteSecret("1rtt", this.#suite, application.server);
  }

  #receiveFinished(message: Buffer): void {
    const verifyData = bodyOf(message);
    if (
      verifyData.length !== this.#clientFinished.length ||
      !timingSafeEqual(verifyData, this.#clientFinished)
    ) {
      throw tlsAlert(alerts.decryptError, "the client's Finished is wrong");
    }
    if (this.#splitters.handshake.pendingBytes > 0) {
      throw tlsAlert(alerts.unexpectedMessage, "bytes behind the client's Finished");
    }
    this.#state = "done";
    // 1-RTT packets are read only now: RFC 9001, section 5.7.
    this.#events.onReadSecret("1rtt", this.#suite, this.#clientSecret);
    this.#events.onHandshakeDone(this.#protocol);
  }
}

/** AES has hardware here; a client that has none for it says so by naming ChaCha20 first. */
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

/** A group that the client sent a key of, else one that it can send a key of. */
function chooseGroup(hello: ClientHello): KeyExchangeGroup {
  const group =
    keyExchangeGroups.find(({ id }) => hello.keyShares.has(id) && hello.groups.includes(id)) ??
    keyExchangeGroups.find(({ id }) => hello.groups.includes(id));
  if (group === undefined) {
    throw tlsAlert(alerts.handshakeFailure, "the client offers no group of key exchange that is served");
  }
  return group;
}
