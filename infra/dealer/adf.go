package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/dealer-agent/dealer/pkg/aap"
	"github.com/dealer-agent/dealer/pkg/adf"
	"github.com/dealer-agent/dealer/pkg/dealer"
	"github.com/dealer-agent/dealer/pkg/lead"
	"github.com/dealer-agent/dealer/pkg/schema"
)

func newADF(std streams) *cobra.Command {
	cmd := family(&cobra.Command{
		Use:     "adf",
		Short:   "Write, read and check ADF/XML lead documents",
		Example: `  dealer adf render lead.json | dealer adf check -`,
	})
	cmd.AddCommand(newADFRender(std), newADFRead(std), newADFCheck(std))
	return cmd
}

func newADFRender(std streams) *cobra.Command {
	var profile, version string
	cmd := &cobra.Command{
		Use:     "render LEAD.json | -",
		Short:   "Print the ADF/XML that a lead.submit request becomes",
		Example: `  dealer adf render lead.json --profile dealer.yaml`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			v, err := versionNamed(version)
			if err != nil {
				return err
			}
			p, err := loadProfile(cmd.Context(), profile)
			if err != nil {
				return err
			}
			var record lead.Record
			err = readNamed(given[0], std.in, func(document io.Reader) error {
				request, err := readArgument("-", document)
				if err == nil {
					record, err = recordOf(v, request, p)
				}
				return err
			})
			if err != nil {
				return err
			}
			xml, err := adf.Render(record, p, adf.Options{})
			if err != nil {
				return err
			}
			_, err = std.out.Write(xml)
			return err
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "dealer profile, a YAML `FILE` (default: the sample dealer)")
	cmd.Flags().StringVar(&version, "version", aap.Primary().Label, "contract of AAP that the request is written in, such as `v1.0`")
	return cmd
}

// recordOf makes the record that the agent would keep for the request.
func recordOf(v aap.Version, request []byte, p *dealer.Profile) (lead.Record, error) {
	set, err := schema.Released()(v)
	if err != nil {
		return lead.Record{}, err
	}
	faults, err := set.Check(aap.LeadSubmit.RequestSchema(), request)
	if err != nil {
		return lead.Record{}, err
	}
	if len(faults) > 0 {
		message := "not a valid lead.submit request of AAP " + v.Label + ":"
		for _, f := range faults {
			message += fmt.Sprintf("\n  %s: %s", cmp.Or(f.InstanceLocation, "the document"), f.Error)
		}
		return lead.Record{}, fmt.Errorf("%s", message)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return lead.Record{}, err
	}
	return lead.Record{
		ID: id.String(), DealerID: p.ID, ReceivedAt: time.Now(), Version: v.Label,
		Request: request, Rooftop: p.Rooftops[0].Name,
	}, nil
}

func newADFRead(std streams) *cobra.Command {
	return &cobra.Command{
		Use:     "read FILE.xml | -",
		Short:   "Print what a lenient reader finds in an ADF document, and its faults",
		Example: `  dealer adf read lead.xml`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, given []string) error {
			var found struct {
				Prospects []adf.Prospect `json:"prospects"`
				Faults    []adf.Fault    `json:"faults"`
			}
			err := readNamed(given[0], std.in, func(document io.Reader) (err error) {
				found.Prospects, found.Faults, err = adf.Read(document)
				return err
			})
			if err != nil {
				return err
			}
			return writeJSON(std.out, found)
		},
	}
}
