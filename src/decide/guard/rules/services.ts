import type { ShapeRule } from '../finding.ts';

/** Messaging, payments, monitoring, workplace services. */
export const SERVICES: readonly ShapeRule[] = [
  {
    id: 'slack-token',
    what: 'a Slack token',
    anchors: ['xox', 'xapp-'],
    pattern: /(?<![A-Za-z0-9])(?:xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10}|xapp-\d-[A-Z0-9]{6})/,
  },
  {
    id: 'webhook-url',
    what: 'a webhook address that is its own credential',
    anchors: ['hooks.slack.com/', 'api/webhooks/', 'webhook.office.com/'],
    pattern:
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{20}|discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/[A-Za-z0-9_-]{30}|webhook\.office\.com\/webhookb2\/[0-9a-f]{8}-/,
  },
  {
    id: 'discord-token',
    what: 'a Discord bot token',
    anchors: ['.'],
    pattern: /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_.-])/,
  },
  {
    id: 'telegram-token',
    what: 'a Telegram bot token',
    anchors: [':AA'],
    pattern: /(?<![A-Za-z0-9])(?:bot)?\d{8,10}:AA[A-Za-z0-9_-]{33}/,
  },
  {
    id: 'twilio-key',
    what: 'a Twilio identifier or key',
    anchors: ['SK', 'AC'],
    pattern: /(?<![A-Za-z0-9])(?:SK|AC)[a-f0-9]{32}(?![A-Za-z0-9])/,
  },
  {
    id: 'mail-service-key',
    what: 'a mail service key',
    anchors: ['SG.', 'xkeysib-', 'xsmtpsib-', 'key-', '-us', 'md-', 're_'],
    pattern:
      /(?<![A-Za-z0-9])(?:SG\.[A-Za-z0-9_-]{16,22}\.[A-Za-z0-9_-]{40}|x(?:key|smtp)sib-[a-f0-9]{64}|key-[a-f0-9]{32}(?![A-Za-z0-9])|[a-f0-9]{32}-us\d{1,2}(?!\w)|md-[A-Za-z0-9_-]{22}(?!\w)|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})/,
  },
  {
    id: 'stripe-key',
    what: 'a Stripe secret',
    anchors: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'sk_prod_', 'whsec_'],
    pattern: /(?<![A-Za-z0-9])(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10}|whsec_[A-Za-z0-9+/]{24})/,
  },
  {
    id: 'payment-key',
    what: 'a payment service secret',
    anchors: ['sq0', 'EAAA', 'access_token$', 'access-', 'FLWSECK', 'rzp_live_'],
    pattern:
      /(?<![A-Za-z0-9])(?:sq0(?:csp|atp)-[A-Za-z0-9_-]{22}|EAAA[A-Za-z0-9_-]{60}|access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}|access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-|FLWSECK(?:_TEST)?-[a-h0-9]{12}|rzp_live_[A-Za-z0-9]{14})/,
  },
  {
    id: 'shopify-token',
    what: 'a Shopify token',
    anchors: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shpua_', 'shprt_'],
    pattern: /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss|ua|rt)_[a-fA-F0-9]{32}/,
  },
  {
    id: 'monitoring-token',
    what: 'a monitoring service token',
    anchors: [
      'NRAK-',
      'NRII-',
      'NRAL',
      'glsa_',
      'glc_',
      'eyJrIjoi',
      'sntrys_',
      'sntryu_',
      'dt0c01.',
      'dt0s01.',
      'phx_',
      'hcaik_',
    ],
    pattern:
      /(?<![A-Za-z0-9])(?:NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32}|[a-f0-9]{36}NRAL|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32}|eyJrIjoi[A-Za-z0-9+/]{40}|sntrys_eyJ[A-Za-z0-9+/=_]{40}|sntryu_[a-f0-9]{64}|dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|phx_[A-Za-z0-9]{40}|hcaik_[a-z0-9]{58})/,
  },
  {
    id: 'workplace-token',
    what: 'a workplace service token',
    anchors: [
      'lin_api_',
      'lin_oauth_',
      'secret_',
      'ntn_',
      'figd_',
      'PMAK-',
      'CFPAT-',
      'pat',
      'sl.',
      'EAA',
      'tfp_',
      'sdk-',
      'sk.eyJ',
    ],
    pattern:
      /(?<![A-Za-z0-9])(?:lin_(?:api|oauth)_[A-Za-z0-9]{40}|secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{43}|figd_[A-Za-z0-9_-]{40}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|CFPAT-[A-Za-z0-9_-]{43}|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}|pat-(?:na|eu)\d-[0-9a-f]{8}-[0-9a-f]{4}-|sl\.[A-Za-z0-9_-]{130}|EAA[A-Za-z0-9]{90}|tfp_[A-Za-z0-9_-]{40}|sdk-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|sk\.eyJ[A-Za-z0-9_-]{20,500}\.[A-Za-z0-9_-]{20})/,
  },
];
