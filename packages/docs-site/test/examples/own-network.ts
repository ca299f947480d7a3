// Pages name the ports that the programs have by default. In a network of its own no other program has them, so examples run
// as they stand, on a machine where everything runs already and several at once.

import { spawnSync } from "node:child_process";

const fresh = ["unshare", "--net", "--pid", "--fork", "--kill-child"];

/** From best to least: without rights of root a namespace of users gives them; some containers refuse a new /proc. */
const ways: readonly (readonly string[])[] = [
  [...fresh, "--mount-proc"],
  [...fresh, "--map-root-user", "--mount-proc"],
  fresh,
  [...fresh, "--map-root-user"],
];

/**
 * The words before a command that give it a network and processes of its own: all that it started end with it. The loopback
 * device is down at first: `ip link set lo up`. Undefined where the machine has no such thing.
 */
export const ownNetwork: readonly string[] | undefined = ways.find(([command = "", ...args]) => {
  const script = "ip link set lo up && : </proc/self/stat";
  return spawnSync(command, [...args, "bash", "-c", script], { timeout: 20_000 }).status === 0;
});
