import {
  type KnownDifference,
  readKnownDifferences,
} from "../../tracing-api/comparison/known-differences.ts";

/** Where our admin API answers otherwise on purpose. */
export function readKnownAdminDifferences(): KnownDifference[] {
  return readKnownDifferences(new URL("../../../known-admin-differences.json", import.meta.url));
}

const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;

/** The list as Markdown, for docs/known-admin-differences.md. */
export function renderKnownAdminDifferences(known: readonly KnownDifference[]): string {
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
`;
}
