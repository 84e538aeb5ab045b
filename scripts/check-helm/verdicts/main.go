// What a cluster would say to pods and connections: reads a Question as JSON, and writes an Answer. Pods are judged by the evaluator of
// Kubernetes' own admission, connections by a simulator of network policies.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type Question struct {
	Pods     []corev1.Pod                  `json:"pods"`
	Policies []*networkingv1.NetworkPolicy `json:"policies"`
	Traffic  []*matcher.Traffic            `json:"traffic"`
}

type Answer struct {
	// What the standard "restricted" has against each pod; empty where nothing.
	Pods []string `json:"pods"`
	// Whether each connection gets through.
	Traffic []bool `json:"traffic"`
}

func main() {
	var question Question
	if err := json.NewDecoder(os.Stdin).Decode(&question); err != nil {
		log.Fatal(err)
	}
	answer := Answer{Pods: []string{}, Traffic: []bool{}}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		log.Fatal(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, pod := range question.Pods {
		result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec))
		fault := ""
		if !result.Allowed {
			fault = result.ForbiddenDetail()
		}
		answer.Pods = append(answer.Pods, fault)
	}
	policies := matcher.BuildNetworkPolicies(true, question.Policies)
	for _, traffic := range question.Traffic {
		answer.Traffic = append(answer.Traffic, policies.IsTrafficAllowed(traffic).IsAllowed())
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}
