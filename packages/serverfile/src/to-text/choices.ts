/**
 * Which sites of several servers are merged into one site:
 * - `alike`: sites with the same directives
 * - `same`: sites with the same directives and the same hosts
 */
export type Merging = "alike" | "same";

/**
 * Which managed names become further addresses of the site for any host, instead of words of `tls_automate_names`:
 *
 * - `unserved`: names that no site serves
 * - `internal`: only names that get no public certificate
 * - `first`: the first name of each policy that has no other settings
 * - `all`: every managed name
 * - `none`: no managed name
 */
export type AutomatedAddresses = "unserved" | "internal" | "first" | "all" | "none";

/**
 * Where to add an address for any host that no route shows. Such an address hides the site's other hosts in the config,
 * and a site without routes has no route at all.
 *
 * - `none`: nowhere
 * - `with paths`: in a site whose addresses all have paths, on servers whose logs or connection policies refer to any
 * host; without such a site the same as `alone`
 * - `alone`: in a separate site on these servers
 */
export type HiddenAnyHost = "none" | "with paths" | "alone";

/**
 * Choices between texts with the same meaning. A config reveals few of them, so each resulting text is adapted again
 * and compared.
 */
export interface Choices {
  /** Which sites of several servers are merged into one site with all addresses. */
  readonly merging: Merging;
  /** True: settings for all names are global options. False: they are in the site for any host. */
  readonly globalCertificates: boolean;
  /** True: ACME is configured by options such as `email` and `acme_ca`. False: by one `cert_issuer` for each issuer. */
  readonly acmeOptions: boolean;
  readonly automatedAddresses: AutomatedAddresses;
  readonly hiddenAnyHost: HiddenAnyHost;
  /**
   * True: the address of a site for any host, without TLS, begins with `http://`. Without it, the site's settings would apply to certificates of
   * all names.
   */
  readonly namesScheme: boolean;
  /** True: `default_bind` has the listen addresses of all servers. */
  readonly defaultBind: boolean;
  /** True: `handle_errors` precedes the other directives. Groups are numbered in the order of the text. */
  readonly errorsFirst: boolean;
}
