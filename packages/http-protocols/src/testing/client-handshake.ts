import {
  createPublicKey,
  decapsulate,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { cipherSuites } from "../quic/protection/cipher-suites.ts";
import {
  encodeCertificate,
  encodeCertificateVerify,
  encodeFinished,
  encodeMessage,
  extensionTypes,
  handshakeTypes,
  retryRandom,
  tls12,
  tls13,
  writeExtension,
} from "../quic/tls/handshake-messages.ts";
import { KeySchedule, type TrafficSecrets } from "../quic/tls/key-schedule.ts";
import { MessageSplitter } from "../quic/tls/message-splitter.ts";
import { schemeFor, signatureSchemes, signTranscript, verifyTranscript } from "../quic/tls/signatures.ts";
import { alerts, shortMessage, tlsAlert } from "../quic/tls/tls-alert.ts";
import type { CryptoLevel, HandshakeEvents, TlsHandshake } from "../quic/tls/tls-handshake.ts";
import { ByteReader } from "../quic/wire/byte-reader.ts";
import type { ByteWriter } from "../quic/wire/byte-writer.ts";

export interface ClientHandshakeOptions {
  /** The only key that the server may sign with; its chain is not looked at. Absent: the key of the certificate that it shows. */
  readonly serverKey?: KeyObject;
  readonly transportParameters: Buffer;
  readonly serverName?: string;
  readonly protocols?: readonly string[];
  readonly suites?: readonly number[];
  /** Groups that the client can do. */
  readonly groups?: readonly number[];
  /** Groups that it sends a key of in its first message. */
  readonly shares?: readonly number[];
  readonly schemes?: readonly number[];
  /** Its own certificate, for servers that ask; an empty chain says that there is none. */
  readonly certificate?: { readonly chain: readonly Buffer[]; readonly key: KeyObject } | undefined;
  /** A ticket of an earlier session. */
  readonly ticket?: ClientTicket | undefined;
  /** True: offers early data with the ticket. */
  readonly sendsEarlyData?: boolean;
  /** As of `Date.now()`; default: the present. */
  readonly now?: number;
}

/** A ticket that the server gave. */
export interface ClientTicket {
  readonly ticket: Buffer;
  readonly psk: Buffer;
  /** True: the server takes early data with it. */
  readonly earlyData: boolean;
  readonly ageAdd: number;
  /** As of `Date.now()`. */
  readonly receivedAt: number;
}

interface OwnShare {
  readonly share: Buffer;
  secretOf(peer: Buffer): Buffer;
}

function writeNumbers(writer: ByteWriter, numbers: readonly number[]): void {
  writer.vector(2, (list) => {
    for (const number of numbers) {
      list.u16(number);
    }
  });
}

const spki = (key: KeyObject) => key.export({ format: "der", type: "spki" });
const prefixOf = (key: KeyObject, bytes: number) => spki(key).subarray(0, -bytes);

function classicShare(type: "x25519" | "P-256", bytes: number): OwnShare {
  const pair =
    type === "x25519" ? generateKeyPairSync("x25519") : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    share: spki(pair.publicKey).subarray(-bytes),
    secretOf: (peer) =>
      diffieHellman({
        privateKey: pair.privateKey,
        publicKey: createPublicKey({
          key: Buffer.concat([prefixOf(pair.publicKey, bytes), peer]),
          format: "der",
          type: "spki",
        }),
      }),
  };
}

function hybridShare(): OwnShare {
  const pair = generateKeyPairSync("ml-kem-768");
  const classic = classicShare("x25519", 32);
  return {
    share: Buffer.concat([spki(pair.publicKey).subarray(-1_184), classic.share]),
    secretOf: (peer) =>
      Buffer.concat([
        decapsulate(pair.privateKey, peer.subarray(0, 1_088)),
        classic.secretOf(peer.subarray(1_088)),
      ]),
  };
}

const shareOf = (group: number): OwnShare =>
  group === 0x11ec ? hybridShare() : group === 0x17 ? classicShare("P-256", 65) : classicShare("x25519", 32);

function readAuthorities(request: ByteReader): Buffer[] {
  request.take(request.u8());
  const extensions = new ByteReader(request.take(request.u16()), shortMessage);
  const names: Buffer[] = [];
  while (extensions.left > 0) {
    const type = extensions.u16();
    const body = new ByteReader(extensions.take(extensions.u16()), shortMessage);
    body.u16();
    while (type === extensionTypes.certificateAuthorities && body.left > 0) {
      names.push(Buffer.from(body.take(body.u16())));
    }
  }
  return names;
}

/** The client's side of TLS 1.3 in QUIC, for tests: it trusts one key and no chain. */
export class ClientHandshake implements TlsHandshake {
  readonly #options: ClientHandshakeOptions;
  readonly #events: HandshakeEvents;
  readonly #splitters = { initial: new MessageSplitter(), handshake: new MessageSplitter() };
  readonly #shares = new Map<number, OwnShare>();
  readonly #hellos: Buffer[] = [];
  #schedule: KeySchedule | undefined;
  #suite = cipherSuites[0]!;
  #secrets: TrafficSecrets | undefined;
  #protocol = "";
  /** The one that the server showed; read where no key is given. */
  certificate: X509Certificate | undefined;
  #asked = false;
  /** Names of CAs, DER, that the server accepts for the client's certificate. */
  authorities: readonly Buffer[] = [];
  #newTicket: ClientTicket | undefined;
  resumed = false;
  /** True when the server said that it takes the early data. */
  earlyDataTaken = false;
  /** Group and suite that the server chose; the certificate's scheme is checked at once. */
  group = 0;
  retried = false;

  constructor(options: ClientHandshakeOptions, events: HandshakeEvents) {
    this.#options = options;
    this.#events = events;
  }

  get suite(): number {
    return this.#suite.id;
  }

  start(): void {
    this.#sendHello(this.#options.shares ?? this.#options.groups ?? [0x1d]);
  }

  /** The last received ticket. */
  get ticket(): ClientTicket | undefined {
    return this.#newTicket;
  }

  receive(level: CryptoLevel, bytes: Buffer): void {
    if (level === "1rtt") {
      const reader = new ByteReader(bytes, shortMessage, 8);
      const ageAdd = reader.u32();
      const nonce = reader.take(reader.u8());
      this.#newTicket = {
        ageAdd,
        receivedAt: Date.now(),
        ticket: Buffer.from(reader.take(reader.u16())),
        psk: this.#schedule!.resumptionPsk(nonce),
        earlyData: reader.u16() > 0 && reader.u16() === extensionTypes.earlyData,
      };
      return;
    }
    this.#splitters[level].push(bytes);
    for (
      let message = this.#splitters[level].next();
      message !== undefined;
      message = this.#splitters[level].next()
    ) {
      this.#receiveMessage(message);
    }
  }

  #sendHello(shares: readonly number[]): void {
    const { serverName, protocols = ["h3"], groups = [0x1d], transportParameters } = this.#options;
    for (const group of shares) {
      this.#shares.set(group, shareOf(group));
    }
    const hello = encodeMessage(handshakeTypes.clientHello, (message) => {
      message.u16(tls12).bytes(randomBytes(32)).u8(0);
      message.vector(2, (list) => {
        for (const suite of this.#options.suites ?? cipherSuites.map(({ id }) => id)) {
          list.u16(suite);
        }
      });
      message.u8(1).u8(0);
      message.vector(2, (extensions) => {
        if (serverName !== undefined) {
          writeExtension(extensions, extensionTypes.serverName, (writer) =>
            writer.vector(2, (list) => list.u8(0).vector(2, (name) => name.bytes(Buffer.from(serverName)))),
          );
        }
        writeExtension(extensions, extensionTypes.supportedVersions, (writer) =>
          writer.vector(1, (list) => list.u16(0x0a0a).u16(tls13)),
        );
        writeExtension(extensions, extensionTypes.supportedGroups, (writer) => writeNumbers(writer, groups));
        writeExtension(extensions, extensionTypes.signatureAlgorithms, (writer) =>
          writeNumbers(writer, this.#options.schemes ?? signatureSchemes.map(({ id }) => id)),
        );
        writeExtension(extensions, extensionTypes.keyShare, (writer) =>
          writer.vector(2, (list) => {
            for (const group of shares) {
              list.u16(group).vector(2, (key) => key.bytes(this.#shares.get(group)!.share));
            }
          }),
        );
        writeExtension(extensions, extensionTypes.alpn, (writer) =>
          writer.vector(2, (list) => {
            for (const name of protocols) {
              list.vector(1, (text) => text.bytes(Buffer.from(name)));
            }
          }),
        );
        writeExtension(extensions, extensionTypes.transportParameters, (writer) =>
          writer.bytes(transportParameters),
        );
        if (this.#options.sendsEarlyData === true && this.#hellos.length === 0) {
          writeExtension(extensions, extensionTypes.earlyData, () => {});
        }
        this.#writeTicket(extensions);
      });
    });
    this.#bind(hello);
    this.#hellos.push(hello);
    this.#events.onCrypto("initial", hello);
  }

  #writeTicket(extensions: ByteWriter): void {
    const { ticket } = this.#options;
    if (ticket !== undefined) {
      writeExtension(extensions, extensionTypes.pskModes, (writer) => writer.u8(1).u8(1));
      writeExtension(extensions, extensionTypes.preSharedKey, (writer) =>
        writer
          .vector(2, (list) =>
            list.vector(2, (identity) => identity.bytes(ticket.ticket)).u32(this.#hiddenAge(ticket)),
          )
          .vector(2, (list) => list.vector(1, (binder) => binder.zeros(ticket.psk.length))),
      );
    }
  }

  #hiddenAge({ receivedAt, ageAdd }: ClientTicket): number {
    return ((this.#options.now ?? Date.now()) - receivedAt + ageAdd) >>> 0;
  }

  /** Secret of early data, for a client that offers it. */
  earlySecret(): Buffer {
    const { psk } = this.#options.ticket!;
    const schedule = new KeySchedule(psk.length === 32 ? "sha256" : "sha384");
    schedule.addMessage(this.#hellos[0]!);
    return schedule.earlyTrafficSecret(psk);
  }

  /** Writes the binder over its zeros at the end of the hello. */
  #bind(hello: Buffer): void {
    const { ticket } = this.#options;
    if (ticket !== undefined) {
      const schedule = this.#schedule ?? new KeySchedule(ticket.psk.length === 32 ? "sha256" : "sha384");
      const from = hello.length - ticket.psk.length;
      schedule.binder(ticket.psk, hello.subarray(0, from - 3)).copy(hello, from);
    }
  }

  #receiveMessage(message: Buffer): void {
    const reader = new ByteReader(message, shortMessage, 4);
    switch (message[0]) {
      case handshakeTypes.serverHello:
        this.#receiveServerHello(message, reader);
        return;
      case handshakeTypes.encryptedExtensions:
        this.#receiveExtensions(reader);
        break;
      case handshakeTypes.certificate:
        if (this.#options.serverKey === undefined) {
          reader.take(reader.u8() + 3);
          this.certificate = new X509Certificate(reader.take(reader.take(3).readUIntBE(0, 3)));
        }
        break;
      case handshakeTypes.certificateRequest:
        this.#asked = true;
        this.authorities = readAuthorities(reader);
        break;
      case handshakeTypes.certificateVerify: {
        const id = reader.u16();
        const scheme = signatureSchemes.find((known) => known.id === id)!;
        const hash = this.#schedule!.transcriptHash();
        const key = this.#options.serverKey ?? this.certificate?.publicKey;
        if (
          key === undefined ||
          !verifyTranscript(scheme, key, { side: "server", hash }, reader.take(reader.u16()))
        ) {
          throw tlsAlert(alerts.decryptError, "the server's signature is wrong");
        }
        break;
      }
      case handshakeTypes.finished:
        this.#receiveFinished(message);
        return;
    }
    this.#schedule!.addMessage(message);
  }

  #receiveServerHello(message: Buffer, reader: ByteReader): void {
    reader.u16();
    const random = reader.take(32);
    reader.take(reader.u8());
    const id = reader.u16();
    this.#suite = cipherSuites.find((suite) => suite.id === id)!;
    reader.u8();
    let share: Buffer = Buffer.alloc(0);
    const extensions = new ByteReader(reader.take(reader.u16()), shortMessage);
    while (extensions.left > 0) {
      const type = extensions.u16();
      const body = new ByteReader(extensions.take(extensions.u16()), shortMessage);
      if (type === extensionTypes.keyShare) {
        this.group = body.u16();
        share = body.left > 0 ? body.take(body.u16()) : share;
      }
      this.resumed ||= type === extensionTypes.preSharedKey;
    }
    if (this.#schedule === undefined) {
      this.#schedule = new KeySchedule(this.#suite.hash);
      this.#schedule.addMessage(this.#hellos[0]!);
    }
    if (random.equals(retryRandom)) {
      this.retried = true;
      this.#schedule.replaceFirstHello();
      this.#schedule.addMessage(message);
      this.#sendHello([this.group]);
      this.#schedule.addMessage(this.#hellos[1]!);
      return;
    }
    this.#schedule.addMessage(message);
    if (this.resumed) {
      this.#schedule.usePsk(this.#options.ticket!.psk);
    }
    this.#secrets = this.#schedule.handshakeSecrets(this.#shares.get(this.group)!.secretOf(share));
    this.#events.onWriteSecret("handshake", this.#suite, this.#secrets.client);
    this.#events.onReadSecret("handshake", this.#suite, this.#secrets.server);
  }

  #receiveExtensions(reader: ByteReader): void {
    const extensions = new ByteReader(reader.take(reader.u16()), shortMessage);
    while (extensions.left > 0) {
      const type = extensions.u16();
      const body = new ByteReader(extensions.take(extensions.u16()), shortMessage);
      if (type === extensionTypes.earlyData) {
        this.earlyDataTaken = true;
      } else if (type === extensionTypes.alpn) {
        body.u16();
        this.#protocol = body.take(body.u8()).toString("latin1");
      } else if (type === extensionTypes.transportParameters) {
        this.#events.onTransportParameters(body.take(body.left));
      }
    }
  }

  #receiveFinished(message: Buffer): void {
    const schedule = this.#schedule!;
    const secrets = this.#secrets!;
    if (!message.subarray(4).equals(schedule.finished(secrets.server))) {
      throw tlsAlert(alerts.decryptError, "the server's Finished is wrong");
    }
    schedule.addMessage(message);
    const application = schedule.applicationSecrets();
    const flight = this.#asked ? this.#ownCertificate(schedule) : [];
    const finished = encodeFinished(schedule.finished(secrets.client));
    schedule.addMessage(finished);
    this.#events.onCrypto("handshake", Buffer.concat([...flight, finished]));
    this.#events.onWriteSecret("1rtt", this.#suite, application.client);
    this.#events.onReadSecret("1rtt", this.#suite, application.server);
    this.#events.onHandshakeDone(this.#protocol);
  }

  #ownCertificate(schedule: KeySchedule): Buffer[] {
    const { chain, key } = this.#options.certificate ?? { chain: [], key: undefined };
    const certificate = encodeCertificate(chain);
    schedule.addMessage(certificate);
    if (key === undefined || chain.length === 0) {
      return [certificate];
    }
    const scheme = schemeFor(
      key,
      signatureSchemes.map(({ id }) => id),
    )!;
    const hash = schedule.transcriptHash();
    const verify = encodeCertificateVerify(scheme.id, signTranscript(scheme, key, { side: "client", hash }));
    schedule.addMessage(verify);
    return [certificate, verify];
  }
}
