import { request } from "node:http";
import type { HostPort } from "./options/fields.ts";

/**
 * Asks the admin port of a running process for its health, as `<process> status` and container health checks do.
 * @returns the body and whether it says "available"; never throws
 */
export function askStatus(
  address: HostPort,
  timeoutMs: number,
): Promise<{ available: boolean; text: string }> {
  return new Promise((resolve) => {
    const host = address.host === "" || address.host === "0.0.0.0" ? "127.0.0.1" : address.host;
    const call = request({ host, port: address.port, path: "/", timeout: timeoutMs }, (response) => {
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
