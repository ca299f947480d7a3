import { isIP } from "node:net";
import { parse } from "yaml";
import { z } from "zod";
import { type Role, roles } from "./access.ts";

/** Limits of the file, which keep a check of a request short. */
const maxEntries = 1_000;
const maxLength = 256;

const text = z.string().trim().min(1).max(maxLength);
const texts = z.array(text).max(maxEntries);
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "is not the name of a header")
  .transform((name) => name.toLowerCase());

/** An address, or a range of addresses such as `10.0.0.0/8`. */
const addressRange = text.refine((range) => {
  const [address = "", bits, ...more] = range.split("/");
  const family = isIP(address);
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  return family !== 0 && isRange && more.length === 0;
}, "is neither an address nor a range such as 10.0.0.0/8");

const rights = {
  role: z.enum(roles),
  "may-delete": z.boolean().default(false),
  tenants: texts.min(1).optional(),
};

const onlyAdmins = (grant: { role: Role; "may-delete": boolean }) =>
  !grant["may-delete"] || grant.role === "admin";
const onlyAdminsText = { error: "needs the role admin", path: ["may-delete"] };

const groupGrant = z
  .strictObject({
    ...rights,
    groups: texts.default([]),
    users: texts.default([]),
    anyone: z.boolean().default(false),
  })
  .refine(onlyAdmins, onlyAdminsText)
  .refine(({ groups, users, anyone }) => anyone || groups.length + users.length > 0, {
    error: "names nobody: give groups, users, or anyone: true",
  });

const token = z
  .strictObject({
    ...rights,
    name: text,
    sha256: z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in 64 lower-case hex digits"),
  })
  .refine(onlyAdmins, onlyAdminsText);

const fileSchema = z.strictObject({
  "marked-attributes": texts.default([]),
  proxy: z
    .strictObject({
      addresses: z.array(addressRange).min(1).max(maxEntries),
      "user-header": headerName.default("x-forwarded-user"),
      "groups-header": headerName.default("x-forwarded-groups"),
    })
    .optional(),
  grants: z.array(groupGrant).max(maxEntries).default([]),
  tokens: z.array(token).max(maxEntries).default([]),
});

/** Roles of people and programs, and the marked attributes. */
export type AccessFile = z.output<typeof fileSchema>;

/**
 * Parses a file of access, YAML or JSON; docs/access.md explains it.
 * @throws Error whose message names the path of the first mistake: `grants.0.role: Invalid option: …`
 */
export function parseAccess(contents: string): AccessFile {
  const { data, error } = fileSchema.safeParse(parse(contents));
  if (error !== undefined) {
    const [issue] = error.issues;
    throw new Error(`${issue?.path.join(".") || "the document"}: ${issue?.message}`);
  }
  if (data.grants.length > 0 && data.proxy === undefined) {
    throw new Error("proxy: is missing: groups and users come from the headers of a proxy");
  }
  const seen = new Set<string>();
  for (const { name, sha256 } of data.tokens) {
    if (seen.has(sha256)) {
      throw new Error(`tokens: ${name} has the sha256 of another token`);
    }
    seen.add(sha256);
  }
  return data;
}
