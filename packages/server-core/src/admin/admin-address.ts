import { ServerError } from "../errors.ts";
import { type ListenAddress, parseListenAddress } from "../listen/listen-address.ts";
import { replaceStrictly } from "../placeholders/machine-placeholders.ts";

/** Address of the admin endpoint when neither config nor environment sets one. */
export const defaultAdminAddress = "localhost:2019";
const defaultPort = 2019;

/** Parses one admin address. @throws ServerError MODULE_CONFIG, also for a range of ports */
export function parseAdminAddress(text: string): ListenAddress {
  const [address, ...others] = parseListenAddress(replaceStrictly(text), defaultPort);
  if (address === undefined || others.length > 0) {
    throw new ServerError("MODULE_CONFIG", `invalid admin address '${text}': exactly one address is needed`);
  }
  return address;
}

/**
 * The address from `SERVER_ADMIN`, otherwise from Caddy's `CADDY_ADMIN`, otherwise {@link
 * defaultAdminAddress}.
 */
export function adminAddressOf(environment: Readonly<Record<string, string | undefined>>): string {
  return environment.SERVER_ADMIN || environment.CADDY_ADMIN || defaultAdminAddress;
}
