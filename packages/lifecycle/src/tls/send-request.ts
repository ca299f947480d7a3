import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ClientTlsMaterial } from "./client-tls.ts";

/** A request that is sent only once; repeating it is up to the caller. */
export interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the request; absent: no body. */
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
 * Sends one request over HTTP or HTTPS. The connection stays open for further requests with the same certificates.
 * Redirects are not followed.
 * @param url http or https, without user and password
 * @returns the response, whose body must be read or destroyed
 * @throws Node's error for an unreachable server or an invalid certificate; after an abort, the reason of the signal
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
