import { readFileSync } from "node:fs";
import { z } from "zod";
import {
  type KnownDifference,
  readKnownDifferences,
} from "../../tracing-api/comparison/known-differences.ts";

/** The known differences: answers of our admin API that differ on purpose. */
export function readKnownAdminDifferences(): KnownDifference[] {
  return readKnownDifferences(new URL("../../../known-admin-differences.json", import.meta.url));
}

const refusedFieldSchema = z.strictObject({ field: z.string(), reason: z.string() });

/** A field of the config that the public model accepts and our server refuses by name. */
type RefusedField = z.infer<typeof refusedFieldSchema>;

/** Fields of the public model's config that our server refuses, with the reason. */
export function readRefusedFields(): RefusedField[] {
  const file = new URL("../../../refused-config-fields.json", import.meta.url);
  return z.array(refusedFieldSchema).parse(JSON.parse(readFileSync(file, "utf8")));
}

const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;

/** Writes the list as Markdown, for docs/known-admin-differences.md. */
export function renderKnownAdminDifferences(
  known: readonly KnownDifference[],
  refused: readonly RefusedField[] = readRefusedFields(),
): string {
  const rows = known.map(
    ({ reason, questions, paths }) =>
      `| ${reason} | ${questions.map(code).join("<br>")} | ${paths.map(code).join("<br>")} |`,
  );
  return `# Known differences of the admin API to the public model

Where [our admin API](admin-api.md) answers a request otherwise than Caddy 2.11, and why. The comparison asks both the
same 386 requests, each from the same configuration, and compares status, headers, body and the configuration afterwards.
Made from \`packages/conformance/known-admin-differences.json\` by \`npm run conformance -- admin --write-docs\`; an entry
that matches nothing any more fails the comparison.

| Why | Request | What of the answer |
|---|---|---|
${rows.join("\n")}

\`*\` stands for anything.

## Fields of a config that are refused

A config that has one of these is refused with 400 and the name of the field, so that nobody believes that it works.

| Field | Why |
|---|---|
${refused.map(({ field, reason }) => `| ${code(field)} | ${reason} |`).join("\n")}
`;
}
