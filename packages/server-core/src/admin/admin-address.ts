import { ServerError } from "../errors.ts";
import { type ListenAddress, parseListenAddress } from "../listen/listen-address.ts";
import { replaceStrictly } from "../placeholders/machine-placeholders.ts";

/** Where the admin endpoint listens when neither config nor environment says. */
export const defaultAdminAddress = "localhost:2019";
const defaultPort = 2019;

/** Reads one admin address. @throws ServerError MODULE_CONFIG, for a range of ports too */
export function parseAdminAddress(text: string): ListenAddress {
  const [address, ...others] = parseListenAddress(replaceStrictly(text), defaultPort);
  if (address === undefined || others.length > 0) {
    throw new ServerError("MODULE_CONFIG", `invalid admin address '${text}': exactly one address is needed`);
  }
  return address;
}

/** `SERVER_ADMIN`, else the public model's `CADDY_ADMIN`, else {@link defaultAdminAddress}. */
export function adminAddressOf(environment: Readonly<Record<string, string | undefined>>): string {
  return environment.SERVER_ADMIN || environment.CADDY_ADMIN || defaultAdminAddress;
}
