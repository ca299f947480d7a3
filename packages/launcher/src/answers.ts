import { get } from "node:http";

/**
 * True when the address answers with a 2xx status within a second. This function does not use `fetch`: its header
 * Sec-Fetch-Mode makes the admin API require an Origin, as it does for browsers.
 */
export function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = get(url, { timeout: 1000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode !== undefined && response.statusCode < 300);
    });
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(false));
  });
}
