// Pages name the programs' default ports. In a separate network no other program has these ports. So examples run
// unchanged, also several at once, and on a machine where the programs run already.

import { spawnSync } from "node:child_process";

const fresh = ["unshare", "--net", "--pid", "--fork", "--kill-child"];

/**
 * Commands for a new network, best first. Without root, a user namespace gives the rights. Some containers refuse a
 * new /proc.
 */
const ways: readonly (readonly string[])[] = [
  [...fresh, "--mount-proc"],
  [...fresh, "--map-root-user", "--mount-proc"],
  fresh,
  [...fresh, "--map-root-user"],
];

/**
 * Words in front of a command that give the command its own network and processes. All its processes end with it. The
 * loopback device is down at first: `ip link set lo up`. Undefined when the machine supports none of these commands.
 */
export const ownNetwork: readonly string[] | undefined = ways.find(([command = "", ...args]) => {
  const script = "ip link set lo up && : </proc/self/stat";
  return spawnSync(command, [...args, "bash", "-c", script], { timeout: 20_000 }).status === 0;
});
