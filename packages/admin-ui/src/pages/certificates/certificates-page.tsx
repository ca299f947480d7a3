import "./certificates-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type Certificate, type CertificatesPart, certificatesQuery } from "../../api/certificates.ts";
import type { DataColumn } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { FilterField, ListPager } from "../../components/list-tools.tsx";
import { Moment } from "../../components/moment.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { useNow } from "../../components/use-now.ts";
import { certificateState } from "./certificate-state.ts";
import type { CertificatesAddress } from "./certificates-address.ts";
import { ExpiryLine } from "./expiry-line.tsx";

const route = getRouteApi("/certificates");
const columns: readonly DataColumn<Certificate>[] = [
  { name: "Names", kind: "head", cell: (one) => <NamesCell {...one} /> },
  { name: "State", cell: (one) => <StateCell {...one} /> },
  { name: "Life", kind: "curve", cell: (one) => <LifeCell {...one} /> },
  { name: "Ends", cell: ({ not_after }) => <Moment at={not_after} />, sorted: "ascending" },
  { name: "Issuer", kind: "wrap", cell: ({ issuer }) => issuer },
  {
    name: "Renewal",
    cell: ({ managed, renew_at }) => (managed && renew_at !== null ? <Moment at={renew_at} /> : "by hand"),
  },
];

/**
 * The certificates of the server, a page at a time, and names without a certificate. Clicking a row's names shows
 * key, serial number and fingerprint.
 *
 * Filter, page and open row are in the URL. While the next page loads, the old one stays.
 */
export function CertificatesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { filter = "", open } = address;
  const page = Number(address.page ?? "1");
  const contains = useSettled(filter.trim());
  const { data, ...query } = useQuery({
    ...certificatesQuery({ contains, page }),
    placeholderData: keepPreviousData,
  });
  const change = (fields: CertificatesAddress) =>
    void navigate({ search: { ...address, page: undefined, ...fields }, replace: true });
  return (
    <ListPage
      title="Certificates"
      lead="Those that end first come first"
      tools={
        <FilterField
          what="Filter by name, issuer"
          value={filter}
          onValue={(next) => change({ filter: next })}
        />
      }
      above={data !== undefined && <Above part={data} isAll={contains === ""} />}
      query={{ ...query, data: data?.certificates }}
      columns={columns}
      keyOf={({ fingerprint }) => fingerprint}
      details={(certificate) =>
        open === certificate.fingerprint ? <Details certificate={certificate} /> : undefined
      }
      nothing={
        contains !== "" || page > 1
          ? { title: "No such certificate", text: `No certificate holds “${contains}” here.` }
          : {
              title: "No certificates",
              text: (
                <>
                  A server whose routes name hosts, on a port other than that of plain HTTP, obtains them by
                  itself. The app <code>tls</code> of the config loads others from files.
                </>
              ),
            }
      }
      below={
        <ListPager
          page={page}
          total={data?.total}
          what="certificates"
          onPage={(next) => change({ page: next })}
        />
      }
    />
  );
}

/** Names without a certificate, and expiry of all certificates. @param isAll true when nothing is filtered out */
function Above({ part, isAll }: { part: CertificatesPart; isAll: boolean }) {
  const { pending, pendingTotal, ends, total } = part;
  return (
    <>
      {pendingTotal > 0 && (
        <section className="pending" aria-labelledby="pending-title">
          <h2 id="pending-title">Not obtained, or not renewed</h2>
          <ul>
            {pending.map(({ name, failures, error }) => (
              <li key={name}>
                <b className="mono">{name}</b>{" "}
                {error === null ? "being obtained" : `after ${failures} failed attempts: ${error}`}
              </li>
            ))}
          </ul>
          {pendingTotal > pending.length && (
            <p className="muted">and {pendingTotal - pending.length} more; filter to find one</p>
          )}
        </section>
      )}
      {isAll && <ExpiryLine ends={ends} total={total} />}
    </>
  );
}

/** The first three names, as the button that opens and closes the details. */
function NamesCell({ names, fingerprint }: Certificate) {
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const isOpen = open === fingerprint;
  return (
    <button
      type="button"
      className="certificate-names"
      aria-expanded={isOpen}
      onClick={() =>
        void navigate({
          search: (old) => ({ ...old, open: isOpen ? undefined : fingerprint }),
          replace: true,
        })
      }
    >
      {names.slice(0, 3).join(", ")}
      {names.length > 3 && ` and ${names.length - 3} more`}
    </button>
  );
}

/** State of the certificate as icon and words, updated each second. */
function StateCell(certificate: Certificate) {
  return <StateMark {...certificateState(certificate, useNow())} />;
}

/**
 * The lifetime of a certificate as a bar: the elapsed part, and a mark at the renewal. Values are clamped to the bar.
 * Screen readers get the state beside it instead.
 */
function LifeCell(certificate: Certificate) {
  const { not_before, not_after, renew_at } = certificate;
  const now = useNow();
  const { state } = certificateState(certificate, now);
  const [from, to] = [Date.parse(not_before), Date.parse(not_after)];
  const share = (at: number) => `${Math.min(1, Math.max(0, (at - from) / (to - from))) * 100}%`;
  return (
    <div className={`life ${state}`} aria-hidden="true">
      <div style={{ width: share(now) }} />
      {renew_at !== null && <i style={{ left: share(Date.parse(renew_at)) }} />}
    </div>
  );
}

/** Rarely needed fields, below the row. */
function Details({ certificate }: { certificate: Certificate }) {
  const { names, not_before, key_type, serial, fingerprint, tags } = certificate;
  return (
    <dl className="certificate-details">
      <dt>Names</dt>
      <dd>{names.join(", ")}</dd>
      <dt>Valid from</dt>
      <dd>
        <Moment at={not_before} />
      </dd>
      <dt>Key</dt>
      <dd>{key_type}</dd>
      <dt>Serial number</dt>
      <dd className="mono">{serial}</dd>
      <dt>SHA-256</dt>
      <dd className="mono">{fingerprint}</dd>
      {tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>{tags.join(", ")}</dd>
        </>
      )}
    </dl>
  );
}
