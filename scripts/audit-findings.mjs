// Finds faults of an audit: licences that are not allowed, and advisories that nobody has accepted.

/**
 * @param components of a CycloneDX document
 * @param rules `allowed`: SPDX ids; `read`: packages that do not say it so, `{name, version, license, reason}`
 * @returns a line for each package whose licence is not allowed, and for each entry of `read` that fits no package
 */
export function licenceFindings(components, { allowed, read }) {
  const known = new Set(allowed);
  const used = new Set();
  const findings = [];
  for (const { group, name, version, licenses = [] } of components) {
    const whole = group === undefined ? name : `${group}/${name}`;
    const entry = read.find((one) => one.name === whole && one.version === version);
    if (entry !== undefined) {
      used.add(entry);
    }
    const said = licenses.map(
      ({ license, expression }) => expression ?? license?.id ?? license?.name ?? "none",
    );
    const counted = entry === undefined ? said : [entry.license];
    if (counted.length === 0) {
      findings.push(`${whole} ${version}: names no licence`);
    }
    for (const text of counted) {
      if (!isAllowed(text, known)) {
        findings.push(`${whole} ${version}: licence ${text} is not allowed`);
      }
    }
  }
  for (const entry of read) {
    if (!used.has(entry)) {
      findings.push(`${entry.name} ${entry.version}: is not used any more, take it out`);
    }
  }
  return findings;
}

/** For `A OR B` one must be allowed, for `A AND B` both. */
function isAllowed(expression, allowed) {
  const text = expression.replace(/^\((.*)\)$/, "$1");
  if (text.includes(" OR ")) {
    return text.split(" OR ").some((part) => isAllowed(part, allowed));
  }
  return text.split(" AND ").every((part) => allowed.has(part));
}

/**
 * @param report of `pnpm audit --json`
 * @param accepted `{id, reason, until}`: `until` is a day such as 2027-01-31, after which it counts again
 * @param today such as 2026-11-21
 */
export function advisoryFindings(report, accepted, today) {
  const advisories = Object.values(report.advisories ?? {});
  const findings = [];
  for (const { github_advisory_id: id, module_name: name, severity, title } of advisories) {
    const entry = accepted.find((one) => one.id === id);
    if (entry === undefined) {
      findings.push(`${name}: ${severity}: ${title} (${id})`);
    } else if (entry.until < today) {
      findings.push(`${name}: ${id} was accepted until ${entry.until} only`);
    }
  }
  const ids = new Set(advisories.map(({ github_advisory_id: id }) => id));
  for (const { id } of accepted) {
    if (!ids.has(id)) {
      findings.push(`${id}: is accepted, but found no more: take it out`);
    }
  }
  return findings;
}
