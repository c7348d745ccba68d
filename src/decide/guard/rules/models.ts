import type { ShapeRule } from '../finding.ts';

/** Language model providers and what belongs to them. */
export const MODELS: readonly ShapeRule[] = [
  {
    id: 'anthropic-key',
    what: 'an Anthropic key',
    anchors: ['sk-ant-'],
    pattern: /(?<![A-Za-z0-9])sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{20}/,
  },
  {
    id: 'openai-key',
    what: 'an OpenAI key, or one in its form',
    anchors: ['sk-'],
    pattern:
      /(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin|None|or-v1|lf)-[A-Za-z0-9_-]{20}|[A-Za-z0-9]{20}T3BlbkFJ|[A-Za-z0-9]{32})/,
  },
  {
    id: 'huggingface-token',
    what: 'a Hugging Face token',
    anchors: ['hf_', 'api_org_'],
    pattern: /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{30}/,
  },
  {
    id: 'model-provider-key',
    what: 'a model provider key',
    anchors: [
      'gsk_',
      'xai-',
      'pplx-',
      'r8_',
      'lsv2_',
      'csk-',
      'nvapi-',
      'tvly-',
      'e2b_',
      'pcsk_',
      'fw_',
      'fc-',
      'tgp_v1_',
      'jina_',
      'AQ.Ab8',
    ],
    pattern:
      /(?<![A-Za-z0-9])(?:gsk_[A-Za-z0-9]{40}|xai-[A-Za-z0-9]{60}|pplx-[A-Za-z0-9]{40}|r8_[A-Za-z0-9]{37}|lsv2_(?:pt|sk)_[a-f0-9]{32}|csk-[A-Za-z0-9]{32}|nvapi-[A-Za-z0-9_-]{60}|tvly-(?:dev-|prod-)?[A-Za-z0-9]{20}|e2b_[a-f0-9]{40}|pcsk_[A-Za-z0-9_]{40}|fw_(?=[a-z]{0,21}[A-Z0-9])[A-Za-z0-9]{20,64}(?![A-Za-z0-9_])|tgp_v1_[A-Za-z0-9_-]{30}|jina_[A-Za-z0-9_-]{40}|fc-[a-f0-9]{32}(?!\w)|AQ\.Ab8[A-Za-z0-9_-]{40})/,
  },
];
