import type { HeaderList } from "http-engine/header-list";
import { readSentFields } from "http-protocols/http2";
import type { RequestFields } from "http-protocols/http2-client";
import { ServerError } from "server-core/errors";
import { oneUserAgent } from "../one-user-agent.ts";
import { requestLineProblem, saysNoBody } from "../request-line.ts";
import type { UpstreamRequest } from "../transport.ts";

/** Splits the authority from the fields, and removes fields that HTTP/2 sends elsewhere. */
function plainFields(headers: HeaderList): { readonly fields: HeaderList; readonly authority: string } {
  const fields: HeaderList = [];
  let authority = "";
  let cookieAt = -1;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (name.length === 4 && name.toLowerCase() === "host") {
      authority = value;
    } else if (name.length === 6 && name.toLowerCase() === "cookie") {
      // Cookies become one field, for an upstream that forwards them over HTTP/1 (RFC 9113, section 8.2.3).
      if (cookieAt < 0) {
        cookieAt = fields.push(name, value) - 1;
      } else {
        fields[cookieAt] += `; ${value}`;
      }
    } else {
      fields.push(name, value);
    }
  }
  return { fields, authority };
}

/**
 * The fields of a request for an HTTP/2 connection.
 * @param scheme scheme of this connection
 * @throws ServerError HTTP_BAD_REQUEST for a request that cannot be sent
 */
export function h2RequestFields(request: UpstreamRequest, scheme: string): RequestFields {
  const { method, target, body, bodyLength } = request;
  const { fields, authority } = plainFields(oneUserAgent(request.headers));
  const problem = requestLineProblem(method, target) || fieldsProblem(["host", authority, ...fields]);
  if (problem !== "") {
    throw new ServerError("HTTP_BAD_REQUEST", problem);
  }
  const pseudo = [":method", method, ":scheme", scheme, ":path", target];
  if (authority !== "") {
    pseudo.push(":authority", authority);
  }
  if (body instanceof Uint8Array) {
    fields.push("content-length", String(body.length));
  } else if (bodyLength !== undefined) {
    fields.push("content-length", String(bodyLength));
  } else if (body === undefined && saysNoBody(method)) {
    fields.push("content-length", "0");
  }
  return { pseudo, fields, isHead: method === "HEAD", endsStream: body === undefined };
}

/** @returns the reason why the fields are invalid; "" for valid fields */
export function fieldsProblem(fields: HeaderList): string {
  const said = readSentFields(fields);
  return typeof said === "string" ? `cannot be sent on: ${said}` : "";
}
