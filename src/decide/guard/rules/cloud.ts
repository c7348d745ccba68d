import type { ShapeRule } from '../finding.ts';

/** Cloud providers and secret stores. */
export const CLOUD: readonly ShapeRule[] = [
  {
    id: 'aws-access-key',
    what: 'an AWS access key',
    anchors: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  },
  {
    id: 'aws-session-token',
    what: 'an AWS session token or service key',
    anchors: ['IQoJb3JpZ2lu', 'FwoGZXIvYXdz', 'FQoGZXIvYXdz', 'ABSKQmVkcm9ja', 'bedrock-api-key-', 'amzn.mws.'],
    pattern:
      /(?<![A-Za-z0-9])(?:(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz|ABSKQmVkcm9ja)[A-Za-z0-9+/=_%-]{40}|bedrock-api-key-[A-Za-z0-9+/=]{20}|amzn\.mws\.[0-9a-f]{8}-)/,
  },
  {
    id: 'google-api-key',
    what: 'a Google API key',
    anchors: ['AIza'],
    pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9])/,
  },
  {
    id: 'google-oauth',
    what: 'a Google OAuth credential',
    anchors: ['ya29.', 'GOCSPX-', '1//0'],
    pattern: /(?<![A-Za-z0-9])(?:ya29\.[A-Za-z0-9_-]{20}|GOCSPX-[A-Za-z0-9_-]{28}|1\/\/0[A-Za-z0-9_-]{40})/,
  },
  {
    id: 'azure-connection-string',
    what: 'an Azure connection string with its key',
    anchors: ['AccountKey=', 'SharedAccessKey=', 'accountkey=', 'sharedaccesskey='],
    pattern: /(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/%]{20}/i,
  },
  {
    id: 'azure-sas',
    what: 'an Azure shared access signature',
    anchors: ['sig='],
    pattern: /(?<![A-Za-z0-9])sig=[A-Za-z0-9+/%_-]{30}/,
  },
  {
    id: 'azure-secret',
    what: 'an Azure client secret or key',
    anchors: ['Q~', 'JQQJ99', 'AZDO', 'ACDb', '+ASt', 'AIoT', '+ACR'],
    pattern:
      /(?<![A-Za-z0-9])(?:[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31}|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{8}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[A-Za-z0-9+/]{76}(?:\+ASt|ACDb)[A-Za-z0-9+/]{6}==|[A-Za-z0-9+/]{33}AIoT[A-Za-z0-9+/]{5}=|[A-Za-z0-9+/]{42}\+ACR[A-Za-z0-9+/]{6})/,
  },
  {
    id: 'digitalocean-token',
    what: 'a DigitalOcean token',
    anchors: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    pattern: /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}/,
  },
  {
    id: 'databricks-token',
    what: 'a Databricks token',
    anchors: ['dapi'],
    pattern: /(?<![A-Za-z0-9])dapi[a-f0-9]{32}(?![A-Za-z0-9])/,
  },
  {
    id: 'alibaba-tencent-key',
    what: 'an Alibaba or Tencent Cloud key',
    anchors: ['LTAI', 'AKID'],
    pattern: /(?<![A-Za-z0-9])(?:LTAI[A-Za-z0-9]{12,20}|AKID[A-Za-z0-9]{32})(?![A-Za-z0-9])/,
  },
  {
    id: 'cloudflare-origin-key',
    what: 'a Cloudflare origin key',
    anchors: ['v1.0-'],
    pattern: /(?<![A-Za-z0-9])v1\.0-[a-f0-9]{24}-[a-f0-9]{100}/,
  },
  {
    id: 'vault-token',
    what: 'a Vault token',
    anchors: ['hvs.', 'hvb.', 'hvr.'],
    pattern: /(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{24}/,
  },
  {
    id: 'doppler-token',
    what: 'a Doppler token',
    anchors: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.said.', 'dp.scim.', 'dp.audit.'],
    pattern: /(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa|said|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40}/,
  },
  {
    id: 'onepassword-token',
    what: 'a 1Password token or secret key',
    anchors: ['ops_eyJ', 'A3-'],
    pattern:
      /(?<![A-Za-z0-9])(?:ops_eyJ[A-Za-z0-9+/_-]{40}|A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})/,
  },
  {
    id: 'tailscale-key',
    what: 'a Tailscale key',
    anchors: ['tskey-'],
    pattern: /(?<![A-Za-z0-9])tskey-[a-z]{2,12}-[A-Za-z0-9]{8}/,
  },
];
