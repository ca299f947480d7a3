import type { Merging } from "./sites/merge-sites.ts";

/** Where the same may be said in two places. Which one fits is found out by trying. */
export interface Choices {
  /** Which sites of several servers are one, with the addresses of all. */
  readonly merging: Merging;
  /** What is for all names is said in the options, not by the site for any host. */
  readonly globalCertificates: boolean;
  /** ACME is set up by `email`, `acme_ca` …, not issuer by issuer. */
  readonly acmeOptions: boolean;
  /**
   * Names that are automated are further addresses of the site for any host, not `tls_automate_names`: those that no site
   * is for, or all.
   */
  readonly automatedAddresses: "unserved" | "all" | "none";
  /** What all servers listen on is said by `default_bind`. */
  readonly defaultBind: boolean;
}

const both = [true, false];

/** Every combination, those that read best first. */
export function allChoices(): Choices[] {
  return (["alike", "same", "none"] as const).flatMap((merging) =>
    both.flatMap((defaultBind) =>
      (["unserved", "none", "all"] as const).flatMap((automatedAddresses) =>
        both.flatMap((acmeOptions) =>
          both.map(
            (globalCertificates): Choices => ({
              merging,
              globalCertificates,
              acmeOptions,
              automatedAddresses,
              defaultBind,
            }),
          ),
        ),
      ),
    ),
  );
}
