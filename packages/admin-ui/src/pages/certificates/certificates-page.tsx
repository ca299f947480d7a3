import "./certificates-page.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Fragment } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { type Certificate, certificatesQuery } from "../../api/certificates.ts";
import { type DataColumn, DataTable } from "../../components/data-table.tsx";
import { Moment } from "../../components/moment.tsx";
import { QueryState } from "../../components/query-state.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { useNow } from "../../components/use-now.ts";
import { certificateState } from "./certificate-state.ts";

const route = getRouteApi("/certificates");
const columns: readonly DataColumn[] = [
  { name: "Names" },
  { name: "State" },
  { name: "Life", kind: "curve" },
  { name: "Ends" },
  { name: "Issuer" },
  { name: "Renewal" },
];

/** The certificates that the server can show, and those that it fails to obtain. */
export function CertificatesPage() {
  const certificates = useQuery(certificatesQuery);
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>Certificates</h1>
      </div>
      <QueryState query={certificates}>
        {({ certificates: all, pending }) => (
          <>
            {pending.length > 0 && (
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
              </section>
            )}
            <CertificateTable certificates={all} />
          </>
        )}
      </QueryState>
    </div>
  );
}

function CertificateTable({ certificates }: { certificates: readonly Certificate[] }) {
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  if (certificates.length === 0) {
    return (
      <Notice kind="plain" title="No certificates">
        <p>
          A server whose routes name hosts, on a port other than that of plain HTTP, obtains them by itself.
          The app <code>tls</code> of the config loads others from files.
        </p>
      </Notice>
    );
  }
  return (
    <DataTable name="Certificates" columns={columns}>
      {certificates.map((certificate) => {
        const isOpen = open === certificate.fingerprint;
        return (
          <Fragment key={certificate.fingerprint}>
            <Row
              certificate={certificate}
              isOpen={isOpen}
              onOpen={() =>
                void navigate({
                  search: { open: isOpen ? undefined : certificate.fingerprint },
                  replace: true,
                })
              }
            />
            {isOpen && (
              <tr>
                <td colSpan={columns.length}>
                  <Details certificate={certificate} />
                </td>
              </tr>
            )}
          </Fragment>
        );
      })}
    </DataTable>
  );
}

function Row(props: { certificate: Certificate; isOpen: boolean; onOpen: () => void }) {
  const { certificate, isOpen, onOpen } = props;
  const { names, not_before, not_after, issuer, managed, renew_at } = certificate;
  const now = useNow();
  const { state, text } = certificateState(certificate, now);
  const [from, to] = [Date.parse(not_before), Date.parse(not_after)];
  const spent = Math.min(1, Math.max(0, (now - from) / (to - from)));
  return (
    <tr>
      <th scope="row">
        <button type="button" className="certificate-names" aria-expanded={isOpen} onClick={onOpen}>
          {names.slice(0, 3).join(", ")}
          {names.length > 3 && ` and ${names.length - 3} more`}
        </button>
      </th>
      <td>
        <StateMark state={state} text={text} />
      </td>
      <td className="curve">
        <div className={`life ${state}`} aria-hidden="true">
          <div style={{ width: `${spent * 100}%` }} />
        </div>
      </td>
      <td>
        <Moment at={not_after} />
      </td>
      <td className="wrap">{issuer}</td>
      <td>{managed && renew_at !== null ? <Moment at={renew_at} /> : "by hand"}</td>
    </tr>
  );
}

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
