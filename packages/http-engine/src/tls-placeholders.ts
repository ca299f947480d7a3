import { createHash, type KeyObject, type X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { tlsDetails } from "certificates/tls/connection/tls-details";
import type { Exchange } from "./exchange.ts";

const versions: Readonly<Record<string, string>> = { "TLSv1.2": "tls1.2", "TLSv1.3": "tls1.3" };

/** Attributes of a distinguished name, in the order in which Caddy writes them as text (RFC 2253). */
const attributeOrder = ["serialNumber", "CN", "postalCode", "street", "ST", "L", "OU", "O", "C"];

/** Names of single attributes of a subject. */
const attributeWords: Readonly<Record<string, string>> = {
  common_name: "CN",
  serial_number: "serialNumber",
  postal_code: "postalCode",
  street_address: "street",
  province: "ST",
  locality: "L",
  organizational_unit: "OU",
  organization: "O",
  country: "C",
};

/** A client's certificate and texts derived from it, computed once. */
interface CertificateTexts {
  /** The client's certificate from which the texts are made. */
  readonly certificate: X509Certificate;
  /** Values of the subject by attribute, computed for the first placeholder that needs them. */
  subject?: ReadonlyMap<string, readonly string[]>;
}

/** Certificate texts by socket, because each request of a connection needs the same texts. */
const known = new WeakMap<Socket, CertificateTexts>();

/** A connection with TLS, over QUIC or TCP. */
type SecuredSocket = Socket & Pick<TLSSocket, "getPeerX509Certificate" | "isSessionReused" | "alpnProtocol">;

/** True when the connection uses TLS. */
function isSecured(socket: Socket): socket is SecuredSocket {
  return "isSessionReused" in socket;
}

/** The client's certificate; undefined when the client sent none. */
function clientCertificate({ socket }: Exchange): CertificateTexts | undefined {
  const found = known.get(socket);
  if (found !== undefined) {
    return found;
  }
  const certificate = isSecured(socket) ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined) {
    return undefined;
  }
  const texts = { certificate };
  known.set(socket, texts);
  return texts;
}

/** Values by attribute. @param name Node's text with a line per attribute; undefined for an empty name */
function attributesOf(name: string | undefined): Map<string, string[]> {
  const attributes = new Map<string, string[]>();
  if (!name) {
    return attributes;
  }
  for (const entry of name.split(/\n| \+ /)) {
    const cut = entry.indexOf("=");
    const type = entry.slice(0, cut);
    attributes.set(type, [...(attributes.get(type) ?? []), entry.slice(cut + 1)]);
  }
  return attributes;
}

/** Writes a name in one line: `CN=client,O=Example`. Source: RFC 2253, in Caddy's form */
function distinguishedName(name: string | undefined): string {
  const attributes = attributesOf(name);
  const others = [...attributes.keys()].filter((type) => !attributeOrder.includes(type));
  return [...others, ...attributeOrder]
    .filter((type) => attributes.has(type))
    .map((type) => (attributes.get(type) ?? []).map((value) => `${type.toUpperCase()}=${value}`).join("+"))
    .join(",");
}

/** The bytes that Caddy uses as public key: PKCS #1 for RSA, the point for curves. */
function publicKeyBytes(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === "rsa") {
    return key.export({ type: "pkcs1", format: "der" });
  }
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const point = [x, y].map((part) => Buffer.from(part, "base64url"));
  return y === "" ? Buffer.concat(point) : Buffer.concat([Buffer.from([4]), ...point]);
}

/** Kinds of alternative names: name in placeholders, name in Node's text. */
const nameKinds: Readonly<Record<string, string>> = {
  dns_names: "DNS",
  emails: "email",
  ips: "IP Address",
  uris: "URI",
};

/** Alternative names of one kind. Node writes entries that contain a comma in quotes, as JSON. */
function alternativeNames({ subjectAltName }: X509Certificate, kind: string): string[] {
  const entries = (subjectAltName ?? "").match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  return entries.flatMap((entry) => {
    const text = entry.trim();
    if (!text.startsWith(`${kind}:`)) {
      return [];
    }
    const value = text.slice(kind.length + 1);
    return value.startsWith('"') ? [JSON.parse(value) as string] : [value];
  });
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Placeholders below `http.request.tls.client`. */
const certificateFields: Readonly<Record<string, (certificate: X509Certificate) => string>> = {
  fingerprint: ({ raw }) => sha256(raw),
  public_key: ({ publicKey }) => publicKeyBytes(publicKey).toString("hex"),
  public_key_sha256: ({ publicKey }) => sha256(publicKeyBytes(publicKey)),
  issuer: ({ issuer }) => distinguishedName(issuer),
  serial: ({ serialNumber }) => BigInt(`0x${serialNumber}`).toString(),
  subject: ({ subject }) => distinguishedName(subject),
  certificate_pem: (certificate) => certificate.toString(),
  certificate_der_base64: ({ raw }) => raw.toString("base64"),
};

/**
 * Placeholders below `http.request.tls`. An agreed protocol is always a version of HTTP, so `proto_mutual` is always
 * true.
 */
const connectionFields: Readonly<Record<string, (socket: SecuredSocket) => string>> = {
  version: (socket) => versions[tlsDetails(socket)?.version ?? ""] ?? "",
  cipher_suite: (socket) => tlsDetails(socket)?.cipher ?? "",
  resumed: (socket) => String(socket.isSessionReused()),
  proto: (socket) => socket.alpnProtocol || "",
  proto_mutual: () => "true",
  server_name: (socket) => tlsDetails(socket)?.serverName ?? "",
  ech: () => "false",
};

function subjectAttribute(word: string): ((texts: CertificateTexts) => string) | undefined {
  const type = Object.hasOwn(attributeWords, word)
    ? attributeWords[word]
    : attributeOrder.find((each) => each.toLowerCase() === word);
  return type === undefined
    ? undefined
    : (texts) => {
        texts.subject ??= attributesOf(texts.certificate.subject);
        return (texts.subject.get(type) ?? []).join(",");
      };
}

function clientField(field: string): ((texts: CertificateTexts) => string) | undefined {
  if (Object.hasOwn(certificateFields, field)) {
    const read = certificateFields[field];
    return (texts) => read?.(texts.certificate) ?? "";
  }
  if (field.startsWith("subject.")) {
    return subjectAttribute(field.slice("subject.".length));
  }
  const [, list = "", index] = /^san\.(dns_names|emails|ips|uris)(?:\.(\d+))?$/.exec(field) ?? [];
  const kind = nameKinds[list];
  if (kind === undefined) {
    return undefined;
  }
  return ({ certificate }) => {
    const names = alternativeNames(certificate, kind);
    return index === undefined ? `[${names.join(" ")}]` : (names[Number(index)] ?? "");
  };
}

/**
 * Returns the reader of `{http.request.tls.*}`. The value is "" without TLS, and for a client without a certificate;
 * only `client.subject.*` then stays a placeholder.
 * @returns undefined for any other name. Source: Caddy 2.11
 */
export function tlsPlaceholder(name: string): ((exchange: Exchange) => string) | undefined {
  const field = name.toLowerCase();
  if (field.startsWith("client.")) {
    const read = clientField(field.slice("client.".length));
    return (
      read &&
      ((exchange) => {
        const texts = clientCertificate(exchange);
        const absent = field.startsWith("client.subject.") ? `{http.request.tls.${name}}` : "";
        return texts === undefined ? absent : read(texts);
      })
    );
  }
  const read = Object.hasOwn(connectionFields, field) ? connectionFields[field] : undefined;
  return read && (({ socket }) => (isSecured(socket) ? read(socket) : ""));
}
