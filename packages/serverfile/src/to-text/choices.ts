/**
 * Which sites of several servers become one site:
 * - `alike`: those with the same directives
 * - `same`: those with the same directives and the same hosts
 * - `none`: every server keeps its own sites
 */
export type Merging = "alike" | "same" | "none";

export type AutomatedAddresses = "unserved" | "internal" | "first" | "all" | "none";
export type HiddenAnyHost = "none" | "with paths" | "alone" | "for names" | "beside names";

/** Choices between texts that mean the same. The config tells little of them, so each text is adapted again and compared. */
export interface Choices {
  /** Which sites of several servers are one, with the addresses of all. */
  readonly merging: Merging;
  /** True: settings for all names are global options, instead of belonging to the site for any host. */
  readonly globalCertificates: boolean;
  /** ACME is set up by `email`, `acme_ca` …, not issuer by issuer. */
  readonly acmeOptions: boolean;
  /**
   * Automated names become further addresses of the site for any host, instead of `tls_automate_names`. The
   * choice says which: names without a site, those of them that no public authority knows, the first name of
   * each policy without other settings, or all.
   */
  readonly automatedAddresses: AutomatedAddresses;
  /**
   * Which sites have an address for any host that no route tells of: a site with paths may, and a site without routes
   * is not to be seen at all. Those that logs and connection policies speak of, in a site with paths or in one of their
   * own; or one that automated names need, alone or beside them.
   */
  readonly hiddenAnyHost: HiddenAnyHost;
  /** Sites for any host without TLS say `http://`: else they would speak for the certificates of all. */
  readonly namesScheme: boolean;
  /** True: `default_bind` has the addresses on which all servers listen. */
  readonly defaultBind: boolean;
  /** `handle_errors` stands before other directives: numbers of groups may tell, but not where they begin. */
  readonly errorsFirst: boolean;
}

/** The parts of a config that make a choice matter; without them both places give the same text. */
export interface ChoiceGrounds {
  /** Whether policies say how certificates are had. */
  readonly hasPolicies: boolean;
  /** Whether names are automated that no route need name. */
  readonly hasAutomatedNames: boolean;
  /** Whether a server speaks of a site for any host that is not to be seen. */
  readonly hasHiddenSites: boolean;
  /** Whether a policy names certificates and says nothing else: some site speaks for all others. */
  readonly hasPlainPolicies: boolean;
  /** Whether routes for errors are in groups. */
  readonly hasGroupedErrors: boolean;
}

/** The ways to write a config: the usual one, then those that say one thing in its other place. */
export function waysToWrite(grounds: ChoiceGrounds): Choices[] {
  const { hasPolicies, hasAutomatedNames, hasHiddenSites, hasPlainPolicies, hasGroupedErrors } = grounds;
  const usual: Choices = {
    globalCertificates: true,
    acmeOptions: true,
    merging: "alike",
    errorsFirst: false,
    automatedAddresses: "unserved",
    hiddenAnyHost: "none",
    namesScheme: hasPolicies && hasPlainPolicies,
    defaultBind: true,
  };
  const others: Partial<Choices>[] = [{ merging: "same" }, { merging: "none" }, { defaultBind: false }];
  if (hasPolicies) {
    others.push({ globalCertificates: false }, { acmeOptions: false }, { namesScheme: !usual.namesScheme });
  }
  if (hasAutomatedNames) {
    const places: readonly AutomatedAddresses[] = ["none", "all", "internal", "first"];
    others.push(...places.map((automatedAddresses) => ({ automatedAddresses })));
  }
  if (hasHiddenSites) {
    others.push({ hiddenAnyHost: "with paths" }, { hiddenAnyHost: "alone" });
  }
  if (hasAutomatedNames && hasPolicies) {
    others.push({ hiddenAnyHost: "for names" }, { hiddenAnyHost: "beside names" });
  }
  if (hasGroupedErrors) {
    others.push({ errorsFirst: true });
  }
  return [usual, ...others.map((other) => ({ ...usual, ...other }))];
}
