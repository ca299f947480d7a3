import type { HeaderList } from "http-engine/header-list";
import { withBody } from "../h1/request-head-writer.ts";
import { oneUserAgent } from "../one-user-agent.ts";
import type { UpstreamRequest } from "../transport.ts";

/** Fields that have no place in HTTP/2. Source: RFC 9113, section 8.2.2 */
const ofConnection = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "host",
]);

/**
 * A request's fields as `node:http2` takes them.
 * @param scheme of this connection
 */
export function h2RequestFields(request: UpstreamRequest, scheme: string): Record<string, string | string[]> {
  const headers = oneUserAgent(request.headers);
  let authority = "";
  const fields: Record<string, string | string[]> = {
    ":method": request.method,
    ":scheme": scheme,
    ":path": request.target,
  };
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] ?? "").toLowerCase();
    const value = headers[index + 1] ?? "";
    if (name === "host") {
      authority = value;
    } else if (!ofConnection.has(name)) {
      const known = fields[name];
      if (known === undefined) {
        fields[name] = value;
      } else if (Array.isArray(known)) {
        known.push(value);
      } else {
        // Cookies are one field for an upstream that passes them on over HTTP/1 (RFC 9113, section 8.2.3).
        fields[name] = name === "cookie" ? `${known}; ${value}` : [known, value];
      }
    }
  }
  fields[":authority"] = authority;
  const { body, bodyLength } = request;
  if (body instanceof Uint8Array) {
    fields["content-length"] = String(body.length);
  } else if (bodyLength !== undefined) {
    fields["content-length"] = String(bodyLength);
  } else if (body === undefined && withBody.test(request.method)) {
    fields["content-length"] = "0";
  }
  return fields;
}

/** Fields without pseudo-header fields. @param raw name, value, name, value, … as `node:http2` gives them */
export function plainFields(raw: readonly string[]): HeaderList {
  const fields: HeaderList = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    if (!name.startsWith(":")) {
      fields.push(name, raw[index + 1] ?? "");
    }
  }
  return fields;
}

/** As {@link plainFields}, of an object. */
export function fieldsOf(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): HeaderList {
  const fields: HeaderList = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(":") && value !== undefined) {
      for (const each of Array.isArray(value) ? value : [value]) {
        fields.push(name, String(each));
      }
    }
  }
  return fields;
}
