// A store with marked attributes everywhere in its spans, and rules of access in front of it, for tests.
import { createHash } from "node:crypto";
import type { TraceStore } from "storage/api";
import type { Attribute, Span } from "wire/model";
import { parseAccess } from "../access/access-file.ts";
import { AccessRules } from "../access/access-rules.ts";
import { hidingStore } from "../access/hiding-store.ts";
import { sampleStore } from "../service/sample-store.ts";
import { sampleTraces } from "./sample-traces.ts";

/** The value that only admins may see. */
export const secret = "ann-7f3a";

export const roleNames = ["viewer", "analyst", "admin", "deleter"] as const;
export type RoleName = (typeof roleNames)[number];

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Rules with a token for each role; the token is the role's name. */
export const sampleAccessText = JSON.stringify({
  "marked-attributes": ["user.*", "*secret*"],
  proxy: { addresses: ["127.0.0.1"] },
  grants: [
    { role: "admin", groups: ["ops"], "may-delete": true },
    { role: "analyst", groups: ["dev"] },
    { role: "viewer", users: ["eve"], tenants: ["acme"] },
  ],
  tokens: roleNames.map((name) => ({
    ...{ name, sha256: digestOf(name) },
    role: name === "deleter" ? "admin" : name,
    "may-delete": name === "deleter",
  })),
});

export function sampleAccess(): AccessRules {
  return new AccessRules(parseAccess(sampleAccessText));
}

export function tokenHeaders(role: RoleName): { authorization: string } {
  return { authorization: `Bearer ${role}` };
}

const text = (key: string): Attribute => ({ key, value: { type: "string", value: secret } });

/** Every place in which a span has attributes. */
function withSecrets(span: Span): Span {
  const nested: Attribute = { key: "user", value: { type: "kvlist", value: [text("id")] } };
  const deep: Attribute = {
    key: "list",
    value: { type: "array", value: [{ type: "kvlist", value: [text("a-secret")] }] },
  };
  const attributes = [text("user.id"), text("User.Mail"), nested, deep];
  const dropped = { droppedAttributesCount: 0 };
  return {
    ...span,
    attributes: [...span.attributes, ...attributes],
    resource: { ...span.resource, attributes: [...span.resource.attributes, text("host.secret")] },
    scope: { ...span.scope, name: "lib", attributes: [text("scope_secret")] },
    events: [{ ...dropped, timeUnixNano: span.startTimeUnixNano, name: "login", attributes }],
    links: [
      {
        ...dropped,
        ...{ traceId: "1".repeat(32), spanId: "2".repeat(16), traceState: "", flags: 0, refType: "none" },
        attributes,
      },
    ],
  };
}

/** The store of the OpenAPI examples, with secrets; `whole` is the same store without rules. */
export async function guardedStore(): Promise<{ guarded: TraceStore; whole: TraceStore }> {
  const whole = await sampleStore(sampleTraces.map(withSecrets));
  return {
    whole,
    guarded: {
      ...hidingStore(whole),
      ...{ writer: whole.writer, dependencies: whole.dependencies, metrics: whole.metrics },
      sampling: whole.sampling,
      ready: (signal) => whole.ready(signal),
      close: () => whole.close(),
    },
  };
}
