import { request as httpsRequest, type RequestOptions } from "node:https";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import type { HttpAnswer } from "./ask.ts";

export interface TlsAnswer extends HttpAnswer {
  /** First name in the certificate that the server presented. */
  readonly certificate: string;
  readonly protocol: string;
  readonly serial: string;
}

/** For tests: one request over TLS on a new connection. @param base `http://address:port` of a listener */
export function askTls(
  base: string,
  options: RequestOptions & { readonly target?: string },
): Promise<TlsAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const { servername, target = "/", headers } = options;
    const request = httpsRequest(
      {
        host: hostname.replace(/^\[|\]$/g, ""),
        port,
        agent: false,
        ...options,
        path: target,
        headers: { Host: servername || hostname, ...(headers as object | undefined) },
      },
      (response) => {
        const socket = response.socket as TLSSocket;
        const shown = socket.getPeerX509Certificate();
        const certificate = shown?.subjectAltName ?? "";
        const protocol = socket.getProtocol() ?? "";
        text(response).then((body) => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            text: body,
            certificate,
            protocol,
            serial: shown?.serialNumber ?? "",
          });
        }, reject);
      },
    );
    request.on("error", reject);
    request.end();
  });
}
