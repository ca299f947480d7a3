import { sendAdminRequest } from "../../admin-api/comparison/admin-request.ts";
import { sleep } from "../client/http1-exchange.ts";
import type { Verdict } from "../twin-case.ts";

/** A reload of the public model resets connections that wait in its queue, so a call may have to be repeated. */
const tries = 6;

/** Sends a request to an admin endpoint. @throws Error when the process does not answer */
export async function askAdmin(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Verdict> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendAdminRequest(port, {
        method,
        target,
        headers,
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      if (attempt === tries) {
        throw error;
      }
      await sleep(20 * attempt);
    }
  }
}
