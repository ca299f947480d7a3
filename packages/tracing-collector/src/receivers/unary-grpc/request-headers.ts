import type { HeaderField } from "wire/http2";

/** The header section of a request, checked. */
export interface RequestHeaders {
  readonly method: string;
  readonly path: string;
  /** Undefined where the client does not say. */
  readonly contentLength: number | undefined;
  readonly fields: readonly HeaderField[];
}

const pseudoNames: ReadonlySet<string> = new Set([":method", ":scheme", ":path", ":authority"]);
/** Fields about one connection of HTTP/1; in HTTP/2 they make a message malformed. */
const connectionNames: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Fields that were checked: those of HPACK's tables come again with every request. */
const goodFields = new WeakSet<HeaderField>();

/**
 * Checks a request's header section.
 * @returns what is wrong, for a request that is malformed
 * Source: RFC 9113, sections 8.2 and 8.3
 */
export function readRequestHeaders(fields: readonly HeaderField[]): RequestHeaders | string {
  for (const field of fields) {
    if (goodFields.has(field)) continue;
    const problem = fieldProblem(field);
    if (problem !== "") return problem;
    goodFields.add(field);
  }
  const pseudo = new Map<string, string>();
  let contentLength: number | undefined;
  for (const [index, { name, value }] of fields.entries()) {
    if (name.startsWith(":")) {
      if (!pseudoNames.has(name)) return `field ${JSON.stringify(name)} is unknown`;
      if (pseudo.has(name)) return `field ${name} comes twice`;
      if (pseudo.size < index) return `field ${name} stands behind others`;
      pseudo.set(name, value);
    } else if (name === "content-length") {
      if (!/^\d{1,15}$/.test(value)) return "field content-length is no number";
      if (contentLength !== undefined && contentLength !== Number(value)) return "two lengths of content";
      contentLength = Number(value);
    }
  }
  const method = pseudo.get(":method");
  const path = pseudo.get(":path");
  if (!method || !path || !pseudo.get(":scheme")) return "field :method, :scheme or :path is missing";
  return { method, path, contentLength, fields };
}

/** @returns what is wrong with the trailers of a request, "" when nothing is */
export function trailersProblem(fields: readonly HeaderField[]): string {
  for (const field of fields) {
    if (field.name.startsWith(":")) return `field ${JSON.stringify(field.name)} in trailers`;
    const problem = fieldProblem(field);
    if (problem !== "") return problem;
  }
  return "";
}

function fieldProblem({ name, value }: HeaderField): string {
  if (!/^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) return `name ${JSON.stringify(name)} is not allowed`;
  if (/[\0\r\n]/.test(value)) return `value of ${name} is not allowed`;
  if (connectionNames.has(name)) return `field ${name} is not allowed`;
  if (name === "te" && value !== "trailers") return "field te has another value than trailers";
  return "";
}
