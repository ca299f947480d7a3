import { get } from "node:http";

/**
 * True when the address answers with a 2xx status within a second. Does not use `fetch`, whose Sec-Fetch-Mode header
 * makes the admin API require an Origin, as for browsers.
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
