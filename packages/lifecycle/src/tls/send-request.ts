import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ClientTlsMaterial } from "./client-tls.ts";

/** A request that is sent once; the caller decides whether to repeat it. */
export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the request; absent: none. */
  readonly body?: string;
  /** Aborts the request, even while the body of the response is read. */
  readonly signal: AbortSignal;
  /**
   * For https: the server's authorities, and the client certificate. Absent: Node's authorities and no
   * certificate.
   */
  readonly tls?: ClientTlsMaterial | undefined;
}

/**
 * Sends one request over HTTP or HTTPS. Connections stay open for further requests with the same certificates.
 * Redirects are not followed.
 * @param url http or https, without user and password
 * @returns the response; its body must be read or destroyed
 * @throws Node's error when the server cannot be reached or its certificate is not valid; the signal's reason after an
 * abort
 */
export async function sendRequest(
  url: URL,
  { method, headers, body, signal, tls }: OutgoingRequest,
): Promise<IncomingMessage> {
  const options = { method, headers, signal };
  const request =
    url.protocol === "https:"
      ? httpsRequest(url, {
          ...options,
          ca: tls?.ca,
          cert: tls?.cert,
          key: tls?.key,
          rejectUnauthorized: tls?.skipHostVerify !== true,
          ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }),
        })
      : httpRequest(url, options);
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}
