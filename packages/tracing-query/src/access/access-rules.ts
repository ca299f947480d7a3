import { createHash } from "node:crypto";
import { BlockList, isIP } from "node:net";
import {
  type Access,
  type AccessCheck,
  type AccessProblem,
  type AskedAccess,
  type Need,
  type Role,
  roles,
  suffices,
} from "./access.ts";
import type { AccessFile } from "./access-file.ts";
import { bearerTokenOf } from "./bearer-token.ts";
import { HiddenNames } from "./hidden-names.ts";
import { needOfRoute } from "./route-needs.ts";

/** Maximum number of groups of one request; a longer list is refused. */
const maxGroups = 1_000;

type Grant = Pick<AccessFile["grants"][number], "role" | "may-delete" | "tenants">;

/** A request's user, and the grants of the file for this user. */
interface Known {
  readonly user: string;
  readonly grants: readonly Grant[];
}

const nobody: Access = { role: "viewer", user: "", hidden: undefined, mayDelete: false };

/** The rules of one version of the file. */
export class AccessRules implements AccessCheck {
  readonly #file: AccessFile;
  readonly #hidden: HiddenNames | undefined;
  readonly #proxies = new BlockList();
  readonly #tokens: ReadonlyMap<string, AccessFile["tokens"][number]>;

  constructor(file: AccessFile) {
    this.#file = file;
    const marked = file["marked-attributes"];
    this.#hidden = marked.length === 0 ? undefined : new HiddenNames(marked);
    this.#tokens = new Map(file.tokens.map((token) => [token.sha256, token]));
    for (const range of file.proxy?.addresses ?? []) {
      const [address = "", bits] = range.split("/");
      const family = isIP(address) === 4 ? "ipv4" : "ipv6";
      if (bits === undefined) {
        this.#proxies.addAddress(address, family);
      } else {
        this.#proxies.addSubnet(address, Number(bits), family);
      }
    }
  }

  check(asked: AskedAccess, need: Need | undefined): Access | AccessProblem {
    if (need === "open") {
      return nobody;
    }
    const known = this.#byToken(asked) ?? this.#byHeaders(asked);
    if ("status" in known) {
      return known;
    }
    const { user } = known;
    const grants = known.grants.filter(
      ({ tenants }) => tenants === undefined || tenants.includes(asked.tenant),
    );
    if (grants.length === 0) {
      const ofTenant = asked.tenant === "" ? "" : ` for tenant ${asked.tenant}`;
      return { status: 403, message: `${user} has no role here${ofTenant}` };
    }
    const access = this.#accessOf(user, grants);
    if (need === undefined) {
      return { status: 403, message: "this path has no rule of access, so nobody may use it" };
    }
    if (!suffices(access, need)) {
      const missing = need === "delete" ? "the right may-delete" : `the role ${need}`;
      return { status: 403, message: `this needs ${missing}; ${user} has the role ${access.role}` };
    }
    return access;
  }

  checkRoute(asked: AskedAccess, method: string, path: string): Access | AccessProblem {
    return this.check(asked, needOfRoute(method, path));
  }

  #accessOf(user: string, grants: readonly Grant[]): Access {
    const rank = Math.max(...grants.map(({ role }) => roles.indexOf(role)));
    const role = roles[rank] as Role;
    return {
      ...{ role, user },
      hidden: role === "admin" ? undefined : this.#hidden,
      mayDelete: grants.some((grant) => grant["may-delete"]),
    };
  }

  /** @returns undefined without a known token */
  #byToken(asked: AskedAccess): Known | AccessProblem | undefined {
    if (this.#tokens.size === 0) {
      return undefined;
    }
    const lines = asked.header("authorization");
    if (lines.length > 1) {
      return { status: 401, message: "there is more than one Authorization" };
    }
    const token = bearerTokenOf({ authorization: lines[0] });
    if (token === undefined) {
      return undefined;
    }
    // A digest takes the same time for every token, and its lookup tells nothing about the token.
    const found = this.#tokens.get(createHash("sha256").update(token).digest("hex"));
    return found && { user: found.name, grants: [found] };
  }

  #byHeaders(asked: AskedAccess): Known | AccessProblem {
    const { proxy, grants } = this.#file;
    if (proxy === undefined || !this.#isProxy(asked.peer)) {
      return { status: 401, message: "a token is needed, or a login at the proxy in front" };
    }
    const users = asked.header(proxy["user-header"]);
    const groupLines = asked.header(proxy["groups-header"]);
    // A proxy may add its header beside the client's. With two headers, the client could choose the user.
    if (users.length > 1 || groupLines.length > 1) {
      const name = users.length > 1 ? proxy["user-header"] : proxy["groups-header"];
      return { status: 401, message: `there is more than one ${name}` };
    }
    const [user = ""] = users;
    const groups = namesOf(groupLines[0] ?? "");
    if (user.trim() === "" || groups.length > maxGroups) {
      const message =
        user.trim() === ""
          ? `the proxy named no user in ${proxy["user-header"]}`
          : `${groups.length} groups are over the limit of ${maxGroups}`;
      return { status: 401, message };
    }
    const mine = grants.filter(
      (grant) =>
        grant.anyone ||
        grant.users.includes(user.trim()) ||
        grant.groups.some((name) => groups.includes(name)),
    );
    return { user: user.trim(), grants: mine };
  }

  #isProxy(peer: string | undefined): boolean {
    const address = peer?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
    const family = isIP(address);
    return family !== 0 && this.#proxies.check(address, family === 4 ? "ipv4" : "ipv6");
  }
}

/** The groups of a header, separated by commas. */
function namesOf(line: string): string[] {
  return line
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
