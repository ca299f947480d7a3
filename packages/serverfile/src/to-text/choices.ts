/**
 * Which sites of several servers become one site:
 * - `alike`: those with the same directives
 * - `same`: those with the same directives and the same hosts
 */
export type Merging = "alike" | "same";

/**
 * Which automated names become further addresses of the site for any host, instead of words of `tls_automate_names`:
 *
 * - `unserved`: names that no site serves
 * - `internal`: only names that no public authority certifies
 * - `first`: the first name of each policy that has no other settings
 * - `all`: every automated name
 * - `none`: none of them
 */
export type AutomatedAddresses = "unserved" | "internal" | "first" | "all" | "none";

/**
 * Where an address for any host is added that no route shows. An address with any host hides its site's other hosts, and a site
 * without routes has no route at all.
 *
 * - `none`: nowhere
 * - `with paths`: in a site whose addresses all have paths, on servers whose logs or connection policies speak of any host;
 *   without such a site as `alone`
 * - `alone`: in a separate site on these servers
 */
export type HiddenAnyHost = "none" | "with paths" | "alone";

/** Choices between texts that mean the same. A config shows few of them, so each text is adapted again and compared. */
export interface Choices {
  /** Which sites of several servers are written as one site with the addresses of all. */
  readonly merging: Merging;
  /** True: settings for all names are global options. False: they are written in the site for any host. */
  readonly globalCertificates: boolean;
  /** True: ACME is set up by options such as `email` and `acme_ca`. False: by a `cert_issuer` for each issuer. */
  readonly acmeOptions: boolean;
  readonly automatedAddresses: AutomatedAddresses;
  readonly hiddenAnyHost: HiddenAnyHost;
  /** True: sites for any host without TLS say `http://`. Else their settings would count for the certificates of all names. */
  readonly namesScheme: boolean;
  /** True: `default_bind` has the addresses on which all servers listen. */
  readonly defaultBind: boolean;
  /** True: `handle_errors` stands before the other directives. Groups are numbered in the order of the text. */
  readonly errorsFirst: boolean;
}
