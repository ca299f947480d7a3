import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { HostPort } from "./options/fields.ts";
import type { ServerTlsMaterial } from "./tls/secure-context.ts";

/**
 * Reads the health from the admin port of a running process, for `<process> status` and container health checks.
 * @param tls TLS of that port; undefined: plain HTTP. The caller has the configuration of that process. If the port
 * requires a client certificate, the process's own certificate is sent. The name in the certificate is not checked,
 * because it is seldom the name of this machine.
 * @returns the body, or the text of the error; `available` is true for status 200. The promise never rejects
 */
export function askStatus(
  address: HostPort,
  timeoutMs: number,
  tls?: ServerTlsMaterial,
): Promise<{ available: boolean; text: string }> {
  return new Promise((resolve) => {
    const host = address.host === "" || address.host === "0.0.0.0" ? "127.0.0.1" : address.host;
    const target = { host, port: address.port, path: "/", timeout: timeoutMs };
    const call =
      tls === undefined
        ? requestHttp(target)
        : requestHttps({ ...target, cert: tls.cert, key: tls.key, rejectUnauthorized: false });
    call.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ available: response.statusCode === 200, text }));
    });
    call.on("timeout", () => call.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    call.on("error", (error) =>
      resolve({ available: false, text: `admin port ${host}:${address.port}: ${error.message}` }),
    );
    call.end();
  });
}
