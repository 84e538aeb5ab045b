import { create } from '@bufbuild/protobuf';
import type { ModelListing } from '@tandem/platform';
import { agent, aiserver } from '@tandem/proto';

/** The id of the model that is used when a client has no wish; empty when there is none. */
export function defaultModelId(listing: readonly ModelListing[]): string {
  return listing[0]?.id ?? '';
}

/** The models as the agent's own service lists them. */
export function usableModels(listing: readonly ModelListing[]): agent.GetUsableModelsResponse {
  const models = listing.map(({ id, displayName, aliases }) =>
    create(agent.ModelDetailsSchema, {
      modelId: id,
      displayModelId: id,
      displayName,
      displayNameShort: displayName,
      aliases,
    }),
  );
  return create(agent.GetUsableModelsResponseSchema, { models });
}

/** The models as the older service lists them. */
export function legacyUsableModels(listing: readonly ModelListing[]): aiserver.GetUsableModelsResponse {
  const models = listing.map(({ id }) => create(aiserver.ModelDetailsSchema, { modelName: id }));
  return create(aiserver.GetUsableModelsResponseSchema, { models });
}

/** The models as a model picker shows them. */
export function availableModels(listing: readonly ModelListing[]): aiserver.AvailableModelsResponse {
  const models = listing.map((model, index) =>
    create(aiserver.AvailableModelsResponse_AvailableModelSchema, {
      name: model.id,
      serverModelName: model.id,
      clientDisplayName: model.displayName,
      tagline: model.description,
      idAliases: model.aliases,
      defaultOn: true,
      supportsAgent: true,
      supportsPlanMode: true,
      supportsNonMaxMode: true,
      supportsThinking: model.parameters.length > 0,
      supportsImages: true,
      parameterDefinitions: model.parameters.map(parameterDefinition),
      visibleInRoutedModelView: index === 0,
    }),
  );
  const config = { defaultModel: defaultModelId(listing) };
  return create(aiserver.AvailableModelsResponseSchema, {
    modelNames: listing.map(({ id }) => id),
    models,
    composerModelConfig: config,
    cmdKModelConfig: config,
    planExecutionModelConfig: config,
    quickAgentModelConfig: config,
    useModelParameters: true,
  });
}

function parameterDefinition({ id, displayName, values }: ModelListing['parameters'][number]) {
  return create(aiserver.ModelParameterDefinitionSchema, {
    id,
    name: displayName ?? id,
    parameterType: {
      enumParameter: { values: values.map(({ value, displayName: name }) => ({ value, displayName: name })) },
    },
  });
}
