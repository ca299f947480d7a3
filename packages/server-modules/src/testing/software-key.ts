import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** CBOR of the few values that an authenticator sends. Source: RFC 8949 */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
  if (typeof value === "number") {
    return value < 0 ? head(1, -1 - value) : head(0, value);
  }
  if (typeof value === "string") {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (Buffer.isBuffer(value)) {
    return Buffer.concat([head(2, value.length), value]);
  }
  const entries = [...value].flatMap(([key, each]) => [cbor(key), cbor(each as number)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");

/** Values that a key signs; each member may be false on purpose. */
export interface SignedFor {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  /** True when the user gave a PIN or a fingerprint. Default: false */
  readonly isVerified?: boolean;
}

/** A security key in software: ECDSA with P-256, and a counter. Source: WebAuthn, sections 6.1 and 6.5 */
export class SoftwareKey {
  readonly id = randomBytes(32);
  /** Uses so far; 0 stays 0 with `counts` false, as with synchronized passkeys. */
  counter = 0;
  readonly #counts: boolean;
  readonly #private: KeyObject;
  readonly #x: Buffer;
  readonly #y: Buffer;

  constructor(counts = true) {
    this.#counts = counts;
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#private = privateKey;
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    [this.#x, this.#y] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  }

  /** Message of a registration. */
  register(signed: SignedFor, name = ""): object {
    const publicKey = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, this.#x],
      [-3, this.#y],
    ]);
    const length = Buffer.from([0, this.id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cbor(publicKey)]);
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", this.#authenticatorData(signed, attested)],
    ]);
    return {
      action: "register",
      name,
      credential: {
        ...this.#credential,
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", signed)),
          attestationObject: base64url(cbor(attestation)),
          transports: ["usb"],
        },
      },
    };
  }

  /** Message of a sign-in. */
  signIn(signed: SignedFor): object {
    const data = this.#authenticatorData(signed);
    const client = clientData("webauthn.get", signed);
    const digest = createHash("sha256").update(client).digest();
    return {
      action: "sign_in",
      credential: {
        ...this.#credential,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(sign("sha256", Buffer.concat([data, digest]), this.#private)),
        },
      },
    };
  }

  get #credential(): object {
    return { id: base64url(this.id), rawId: base64url(this.id), type: "public-key" };
  }

  #authenticatorData({ rpId, isVerified = false }: SignedFor, attested = Buffer.alloc(0)): Buffer {
    this.counter += this.#counts ? 1 : 0;
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const domain = createHash("sha256").update(rpId).digest();
    return Buffer.concat([domain, Buffer.from([flags]), counter, attested]);
  }
}

function clientData(type: string, { challenge, origin }: SignedFor): string {
  return JSON.stringify({ type, challenge, origin, crossOrigin: false });
}
