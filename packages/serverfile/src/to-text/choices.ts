import type { Merging } from "./sites/merge-sites.ts";

export type AutomatedAddresses = "unserved" | "internal" | "first" | "all" | "none";
export type HiddenAnyHost = "none" | "with paths" | "alone" | "for names" | "beside names";

/** Where the same may be said in two places. Which one fits is found out by trying. */
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

const both = [true, false] as const;

/** The parts of a config that make a choice matter; without them every choice gives the same text. */
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

/** Every combination: what reads best first, then those that choose otherwise in one place, in two, and so on. */
export function allChoices(grounds: ChoiceGrounds): Choices[] {
  const { hasPolicies, hasAutomatedNames, hasHiddenSites, hasPlainPolicies, hasGroupedErrors } = grounds;
  const hidden: HiddenAnyHost[] = ["none"];
  if (hasHiddenSites) {
    hidden.push("with paths", "alone");
  }
  if (hasAutomatedNames && hasPolicies) {
    hidden.push("for names", "beside names");
  }
  const saying = hasPolicies ? both : ([true] as const);
  const ways: { readonly [K in keyof Choices]: readonly Choices[K][] } = {
    globalCertificates: saying,
    acmeOptions: saying,
    merging: ["alike", "same", "none"],
    errorsFirst: hasGroupedErrors ? [false, true] : [false],
    automatedAddresses: hasAutomatedNames ? ["unserved", "none", "all", "internal", "first"] : ["unserved"],
    hiddenAnyHost: hidden,
    namesScheme: hasPolicies ? [hasPlainPolicies, !hasPlainPolicies] : [false],
    defaultBind: both,
  };
  let all: { readonly choices: Partial<Choices>; readonly others: number }[] = [{ choices: {}, others: 0 }];
  for (const [name, values] of Object.entries(ways)) {
    all = values.flatMap((value, index) =>
      all.map(({ choices, others }) => ({
        choices: { ...choices, [name]: value },
        others: others + (index === 0 ? 0 : 1),
      })),
    );
  }
  return all.sort((a, b) => a.others - b.others).map(({ choices }) => choices as Choices);
}
